/** Which view is shown: its tab, and the panel in it; every view has an address of its own. */

export type Tab = "arm" | "programs" | "recordings" | "jobs";

export interface View {
  path: string;
  label: string;
  tab: Tab;
}

export const VIEWS: View[] = [
  { path: "/", label: "Move", tab: "arm" },
  { path: "/live", label: "Contacts", tab: "arm" },
  { path: "/load", label: "Load", tab: "arm" },
  { path: "/start", label: "First steps", tab: "arm" },
  { path: "/teach", label: "Programs", tab: "programs" },
  { path: "/recordings", label: "Recordings", tab: "recordings" },
  { path: "/check", label: "Check", tab: "jobs" },
  { path: "/identify", label: "Identify", tab: "jobs" },
  { path: "/energy", label: "Energy", tab: "jobs" },
  { path: "/fmu", label: "FMU", tab: "jobs" },
];

export const TABS: { tab: Tab; label: string }[] = [
  { tab: "arm", label: "Arm" },
  { tab: "programs", label: "Programs" },
  { tab: "recordings", label: "Recordings" },
  { tab: "jobs", label: "Jobs" },
];

class Route {
  path = $state(location.pathname);

  constructor() {
    addEventListener("popstate", () => (this.path = location.pathname));
  }

  get view(): View {
    return VIEWS.find((view) => view.path === this.path) ?? VIEWS[0]!;
  }

  get known(): boolean {
    return VIEWS.some((view) => view.path === this.path);
  }

  /** The address of a tab: the view in it that was used last. */
  of(tab: Tab): string {
    const kept = sessionStorage.getItem(`armtwin_${tab}`);
    const views = VIEWS.filter((view) => view.tab === tab);
    return (views.find((view) => view.path === kept) ?? views[0]!).path;
  }

  go(path: string): void {
    if (path === this.path) return;
    history.pushState(null, "", path);
    this.path = path;
    sessionStorage.setItem(`armtwin_${this.view.tab}`, path);
  }
}

export const route = new Route();

/** A Svelte action for links that stay in the page. */
export function within(node: HTMLAnchorElement) {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    route.go(node.getAttribute("href") ?? "/");
  };
  node.addEventListener("click", follow);
  return { destroy: () => node.removeEventListener("click", follow) };
}
