// Builds one of the three homes of the front end: vite build --mode app | file | notebook.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { AcceptedPlugin, AtRule } from "postcss";
import type { UserConfig } from "vite";
import { defineConfig } from "vitest/config";

const OUT = process.env["ARMTWIN_WEB_OUT"] ?? "../src/armtwin/viewer/dist";

// The app: hashed files below /static/, an HTML page that loads them.
const app: UserConfig = {
  base: "/static/",
  build: { rollupOptions: { input: "app.html" } },
};

// One script and one style sheet, which Python writes into an HTML file.
const file: UserConfig = {
  build: {
    lib: { entry: "src/file/main.ts", formats: ["iife"], name: "armtwin", fileName: () => "viewer.js", cssFileName: "viewer" },
  },
};

// One module and one style sheet for anywidget.
const notebook: UserConfig = {
  build: {
    lib: { entry: "src/notebook/widget.ts", formats: ["es"], fileName: () => "widget.js", cssFileName: "widget" },
  },
};

// The dark colours stand once, in tokens.css, for a theme that was chosen. They count as well where the system prefers
// dark and nothing was chosen: the same rule below a media query, which CSS itself has no way to share.
const CHOSEN = ':root[data-theme="dark"], :host([data-theme="dark"])';
const NOT_LIGHT = ':root:not([data-theme="light"]), :host(:not([data-theme="light"]))';
const darkSystem: AcceptedPlugin = {
  postcssPlugin: "dark-system",
  Once(root, { AtRule }) {
    root.each((rule) => {
      if (rule.type !== "rule" || rule.selectors.join(", ") !== CHOSEN) return;
      const media = new AtRule({ name: "media", params: "(prefers-color-scheme: dark)" });
      rule.before(media.append(rule.clone({ selector: NOT_LIGHT })));
    });
  },
};

// Rules for a whole page count inside the viewer only where a notebook is around it.
const insideNotebook: AcceptedPlugin = {
  postcssPlugin: "inside-notebook",
  Once(root) {
    root.walkRules((rule) => {
      if (rule.parent?.type === "atrule" && (rule.parent as AtRule).name.endsWith("keyframes")) return;
      rule.selectors = rule.selectors.filter((one) => one !== "body").map((one) => (one.startsWith("*") ? `.armtwin ${one}` : one));
    });
  },
};

const HOMES: Record<string, UserConfig> = { app, file, notebook };

export default defineConfig(({ mode }) => {
  const home = HOMES[mode] ?? {};
  return {
    ...home,
    plugins: [svelte()],
    css: { postcss: { plugins: mode === "notebook" ? [darkSystem, insideNotebook] : [darkSystem] } },
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    resolve: process.env["VITEST"] ? { conditions: ["browser"] } : {},
    build: {
      ...home.build,
      outDir: `${OUT}/${mode}`,
      emptyOutDir: true,
      target: "es2022",
      assetsInlineLimit: 16384,
      chunkSizeWarningLimit: 1500,
      reportCompressedSize: false,
    },
    // A test that needs a page says so in its first line: @vitest-environment happy-dom.
    test: { environment: "node", isolate: false, include: ["src/**/*.test.ts"] },
  };
});
