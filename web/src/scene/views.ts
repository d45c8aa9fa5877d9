// View presets by name.

export type View = "isometric" | "front" | "side" | "top";
export const VIEWS: readonly View[] = ["isometric", "front", "side", "top"];
