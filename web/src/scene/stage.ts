// What the arm stands on and is lit by: background, ground, key light with soft shadow, hemisphere fill.
import {
  ACESFilmicToneMapping, CanvasTexture, Color, DirectionalLight, HemisphereLight, PCFShadowMap, Scene, SRGBColorSpace, WebGLRenderer, type Texture,
} from "three";
import { SIMPLE_RATIO, type Graphics } from "./graphics";
import { ground, KEY } from "./ground";
import type { Paint } from "./colours";
import { makeCanvas, penOf, type Surface } from "./surface";

const SHADOW = 1024;

/** Most device pixels per CSS pixel: finer ones cannot be distinguished. */
const FINEST = 2;

/** Returns the resolution of a fine picture on a screen of so many device pixels per CSS pixel. */
export function pixelRatio(graphics: Graphics, ratio: number): number {
  return graphics === "full" ? Math.min(ratio, FINEST) : SIMPLE_RATIO;
}

export function makeRenderer(canvas: Surface["canvas"], graphics: Graphics, ratio: number): WebGLRenderer {
  const full = graphics === "full";
  const renderer = new WebGLRenderer({ canvas, antialias: full, powerPreference: "high-performance" });
  renderer.setPixelRatio(pixelRatio(graphics, ratio));
  renderer.toneMapping = ACESFilmicToneMapping;
  renderer.shadowMap.enabled = full;
  renderer.shadowMap.type = PCFShadowMap;
  return renderer;
}

/** Furnishes an empty scene for an arm of a reach [m]. */
export function furnish(scene: Scene, reach: number, paint: Paint): void {
  scene.background = backdrop(paint);
  scene.add(new HemisphereLight(new Color(paint.dark ? "#aebfd2" : "#ffffff"), new Color(paint.dark ? "#20262d" : "#b4b0a8"), paint.dark ? 1.5 : 2.0));
  const key = new DirectionalLight("#fff6ea", paint.dark ? 2.3 : 2.6);
  key.position.copy(KEY).multiplyScalar(4 * reach);
  key.castShadow = true;
  key.shadow.mapSize.set(SHADOW, SHADOW);
  key.shadow.radius = 5;
  key.shadow.bias = -0.0012;
  key.shadow.normalBias = 0.009 * reach;
  const box = key.shadow.camera;
  box.left = box.bottom = -1.35 * reach;
  box.right = box.top = 1.35 * reach;
  box.near = 0.5 * reach;
  box.far = 8 * reach;
  const rim = new DirectionalLight(paint.dark ? "#8fb8e8" : "#dbe7f5", paint.dark ? 1.1 : 0.8);
  rim.position.set(-2, 1.5, 0.9);
  scene.add(key, rim, ground(reach, paint));
}

// A quiet gradient from top to bottom.
function backdrop(paint: Paint): Texture | Color {
  const canvas = makeCanvas(2, 256);
  const pen = penOf(canvas);
  if (!pen) return new Color(paint.top);
  const blend = pen.createLinearGradient(0, 0, 0, canvas.height);
  blend.addColorStop(0, paint.top);
  blend.addColorStop(0.55, paint.bottom);
  blend.addColorStop(1, paint.ground);
  pen.fillStyle = blend;
  pen.fillRect(0, 0, 2, canvas.height);
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  return map;
}
