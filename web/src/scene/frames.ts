// Coordinate frames: x red, y green, z blue, with letters and a name.
import { CanvasTexture, ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Sprite, SpriteMaterial, SRGBColorSpace } from "three";
import { makeCanvas, penOf } from "./surface";

const AXES = [
  { letter: "x", colour: "#d93a3a", turn: [0, 0, -Math.PI / 2] },
  { letter: "y", colour: "#2f9e44", turn: [0, 0, 0] },
  { letter: "z", colour: "#2b6fe0", turn: [Math.PI / 2, 0, 0] },
] as const;
const ABOVE = 5;
type Pen = NonNullable<ReturnType<typeof penOf>>;

/** Returns a triad of a length [m], named where a name is given. */
export function triad(length: number, name = "", ink = "#222222", halo = "#ffffff"): Group {
  const whole = new Group();
  for (const { letter, colour, turn } of AXES) {
    const paint = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true });
    const axis = new Group();
    const rod = new Mesh(new CylinderGeometry(0.018 * length, 0.018 * length, 0.86 * length, 12), paint);
    rod.position.y = 0.43 * length;
    const tip = new Mesh(new ConeGeometry(0.05 * length, 0.16 * length, 16), paint);
    tip.position.y = 0.92 * length;
    const sign = label(letter, colour, halo, 0.26 * length);
    sign.position.y = 1.2 * length;
    axis.add(rod, tip, sign);
    axis.rotation.set(turn[0], turn[1], turn[2]);
    whole.add(axis);
  }
  if (name) {
    const sign = label(name, ink, halo, 0.3 * length);
    sign.position.set(-0.2 * length, -0.2 * length, -0.25 * length);
    whole.add(sign);
  }
  whole.traverse((child) => (child.renderOrder = ABOVE));
  return whole;
}

/** Height of a plate as a share of the view's. */
const PLATE = 0.042;
const FIELD = 34;

/** Returns a text on a plate that faces the camera and has the same size from any distance. */
export function plate(text: string, colour: string, ground: string): Sprite {
  const sprite = label(text, colour, ground, PLATE * 2 * Math.tan((FIELD * Math.PI) / 360), true);
  sprite.material.sizeAttenuation = false;
  sprite.center.set(0.5, -0.7);
  return sprite;
}

/** Returns a text that faces the camera, of a height [m]. */
export function label(text: string, colour: string, halo: string, height: number, plate = false): Sprite {
  const canvas = makeCanvas(1, 1);
  const pen = penOf(canvas);
  const [size, edge] = [56, plate ? 26 : 12];
  const font = `600 ${size}px system-ui, "Liberation Sans", sans-serif`;
  if (pen) {
    pen.font = font;
    canvas.width = Math.ceil(pen.measureText(text).width) + 2 * edge;
    canvas.height = size + (plate ? 30 : 24);
    pen.font = font;
    if (plate) drawPlate(pen, halo);
    write(pen, text, edge, plate ? null : halo, colour);
  }
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  const sprite = new Sprite(new SpriteMaterial({ map, depthTest: false, depthWrite: false, transparent: true, toneMapped: false }));
  sprite.scale.set((height * canvas.width) / Math.max(canvas.height, 1), height, 1);
  sprite.renderOrder = ABOVE;
  return sprite;
}

function drawPlate(pen: Pen, colour: string): void {
  const { width, height } = pen.canvas;
  pen.globalAlpha = 0.9;
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(0, 0, width, height, 20);
  pen.fill();
  pen.globalAlpha = 1;
}

function write(pen: Pen, text: string, left: number, halo: string | null, colour: string): void {
  const middle = pen.canvas.height / 2 + 3;
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 12;
  if (halo) {
    pen.strokeStyle = halo;
    pen.strokeText(text, left, middle);
  }
  pen.fillStyle = colour;
  pen.fillText(text, left, middle);
}
