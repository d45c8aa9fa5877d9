// The ground: soft contact shadow, and a grid of 0.1 m and 1 m that fades with distance.
import { Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector3 } from "three";
import type { Paint } from "./colours";

const VERTEX = `
varying vec2 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xy;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const FRAGMENT = `
varying vec2 place;
uniform vec3 colour;
uniform float fine, fade, strength;
float lines(float size, float width) {
  vec2 cell = place / size;
  vec2 slope = fwidth(cell);
  vec2 near = abs(fract(cell - 0.5) - 0.5) / max(slope, vec2(1e-6));
  float line = 1.0 - clamp(min(near.x, near.y) - width, 0.0, 1.0);
  return line * (1.0 - smoothstep(0.25, 0.6, max(slope.x, slope.y)));
}
void main() {
  float far = 1.0 - smoothstep(0.15 * fade, fade, length(place));
  float alpha = max(0.2 * lines(fine, 0.0), 0.42 * lines(10.0 * fine, 0.1)) * far * strength;
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(colour, alpha);
  #include <colorspace_fragment>
}`;

/** Returns the spacing of fine lines for an arm's reach [m]: 0.1 m, and 1 cm for small arms. */
export function spacing(reach: number): number {
  return reach < 0.35 ? 0.01 : 0.1;
}

export function ground(reach: number, paint: Paint): Group {
  const size = 12 * reach;
  const grid = new Mesh(
    new PlaneGeometry(size, size),
    new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false,
      uniforms: {
        colour: { value: new Color(paint.grid) }, fine: { value: spacing(reach) },
        fade: { value: 3.4 * reach }, strength: { value: paint.dark ? 0.9 : 0.85 },
      },
    }),
  );
  grid.position.z = -0.0005 * reach;
  const shadow = new Mesh(new PlaneGeometry(size, size), new ShadowMaterial({ opacity: paint.dark ? 0.5 : 0.26 }));
  shadow.position.z = -0.001 * reach;
  shadow.receiveShadow = true;
  shadow.renderOrder = -2;
  grid.renderOrder = -1;
  const whole = new Group();
  whole.add(shadow, grid);
  return whole;
}

/** The direction that the key light comes from. */
export const KEY = new Vector3(0.55, -0.65, 1.25).normalize();
