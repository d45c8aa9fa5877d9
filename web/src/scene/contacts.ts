// Contacts: a ring with an arrow around the joint that feels a torque, with its size as text.
import { ConeGeometry, Group, Mesh, MeshBasicMaterial, Quaternion, TorusGeometry, Vector3 } from "three";
import { plate } from "./frames";
import type { Paint } from "./colours";
import type { ContactMark } from "./types";

const SWEEP = 1.45 * Math.PI;
const ORDER = 4;
/** Distance of the text from the ring's centre in radii: beside the ring, not on it. */
const BESIDE = 1.4;

/** Returns a ring about z in the direction of a torque's sign, radius in m. */
export function contactRing(contact: ContactMark, radius: number, paint: Paint): Group {
  const material = new MeshBasicMaterial({ color: paint.bad, transparent: true, opacity: contact.strength, depthTest: false, toneMapped: false });
  const ring = new Mesh(new TorusGeometry(radius, 0.07 * radius, 10, 48, SWEEP), material);
  const tip = new Mesh(new ConeGeometry(0.22 * radius, 0.5 * radius, 20), material);
  tip.position.set(radius * Math.cos(SWEEP), radius * Math.sin(SWEEP), 0);
  tip.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(-Math.sin(SWEEP), Math.cos(SWEEP), 0));
  const turning = new Group();
  turning.add(ring, tip);
  if (contact.size < 0) turning.quaternion.copy(new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), Math.PI));
  const text = plate(contact.text, paint.bad, paint.surface);
  text.position.set(0, BESIDE * radius, 0);
  text.material.opacity = contact.strength;
  const whole = new Group();
  whole.add(turning, text);
  whole.traverse((child) => (child.renderOrder = ORDER));
  text.renderOrder = ORDER + 1;
  return whole;
}
