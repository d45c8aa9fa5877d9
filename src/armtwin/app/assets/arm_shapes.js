// The solids an arm is drawn with, from the bars that /api/arms/{name} lists.
import { GLTFLoader, THREE } from "/three/index.js";

const SIDES = 20;
const TAPER = 0.86;
const UP = new THREE.Vector3(0, 1, 0);

// A tube from start to end, a little thinner at its end, with round ends.
function tube(bar, material, taper) {
  const start = new THREE.Vector3(...bar.start);
  const end = new THREE.Vector3(...bar.end);
  const along = end.clone().sub(start);
  const length = along.length();
  const parts = [ball(end, bar.radius * taper, material)];
  if (length > 1e-6) {
    const shape = new THREE.CylinderGeometry(bar.radius * taper, bar.radius, length, SIDES, 1, true);
    const mesh = new THREE.Mesh(shape, material);
    mesh.position.copy(start).addScaledVector(along, 0.5);
    mesh.quaternion.setFromUnitVectors(UP, along.normalize());
    parts.push(mesh, ball(start, bar.radius, material));
  }
  return parts;
}

function ball(centre, radius, material) {
  const mesh = new THREE.Mesh(new THREE.SphereGeometry(radius, SIDES, SIDES / 2), material);
  mesh.position.copy(centre);
  return mesh;
}

// A closed cylinder about a joint's axis, with a paler rim.
function drum(axis, material, rim) {
  const start = new THREE.Vector3(...axis.start);
  const end = new THREE.Vector3(...axis.end);
  const along = end.clone().sub(start);
  const length = along.length();
  const group = new THREE.Group();
  group.position.copy(start).addScaledVector(along, 0.5);
  group.quaternion.setFromUnitVectors(UP, along.normalize());
  group.add(new THREE.Mesh(new THREE.CylinderGeometry(axis.radius, axis.radius, length, SIDES), material));
  const ring = axis.radius * 1.015;
  group.add(new THREE.Mesh(new THREE.CylinderGeometry(ring, ring, length * 0.16, SIDES, 1, true), rim));
  return group;
}

// The tool's own frame: a small open triad on a flange.
function flange(tool, radius, material) {
  const group = new THREE.Group();
  group.applyMatrix4(new THREE.Matrix4().fromArray(tool));
  const plate = new THREE.Mesh(new THREE.CylinderGeometry(radius * 0.8, radius * 0.8, radius * 0.5, SIDES), material);
  plate.quaternion.setFromUnitVectors(UP, new THREE.Vector3(0, 0, 1));
  plate.position.z = -radius * 0.25;
  group.add(plate);
  return group;
}

// One arm: a group for what stands and one for each link frame; `pose` puts these in place.
export class ArmBody {
  constructor(geometry, look) {
    this.group = new THREE.Group();
    this.base = new THREE.Matrix4().fromArray(geometry.frame);
    this.links = geometry.links.map((link, row) => this.link(link, look, row === 0));
    this.parts = look.stands ? this.stand(geometry, look) : [];
    const last = geometry.links.at(-1);
    this.links.at(-1).add(flange(geometry.tool, last.bars[0].radius, look.joint));
    this.frames = [];
    this.size = geometry.reach;
    this.tool = new THREE.Group();
    this.tool.applyMatrix4(new THREE.Matrix4().fromArray(geometry.tool));
    this.links.at(-1).add(this.tool);
  }

  // What does not move: the base's bars and a foot on the floor.
  stand(geometry, look) {
    const parts = geometry.base.flatMap((bar) => tube(bar, look.body, 1).slice(0, 2));
    const thick = geometry.links.length ? geometry.links[0].bars[0].radius : 0.05;
    const foot = new THREE.Mesh(new THREE.CylinderGeometry(thick * 1.5, thick * 1.7, thick * 0.5, SIDES), look.joint);
    foot.quaternion.setFromUnitVectors(UP, new THREE.Vector3(0, 0, 1));
    foot.position.z = thick * 0.25;
    parts.push(foot);
    this.group.add(...parts);
    return parts;
  }

  link(link, look, isFirst) {
    const group = new THREE.Group();
    link.bars.forEach((bar) => group.add(...tube(bar, look.body, TAPER).slice(0, isFirst ? 2 : 3)));
    if (link.axis) group.add(drum(link.axis, look.joint, look.rim));
    this.group.add(group);
    return group;
  }

  // Draws the links by the nodes of a GLB scene instead of bars; `look.mesh` replaces its materials.
  dress(nodes, look) {
    [this.group, ...this.links].forEach((parent, row) => {
      const node = nodes.find((one) => one.name === `link_${row}`);
      if (row === 0) this.parts.forEach((part) => part.removeFromParent());
      else parent.clear();
      if (!node || (row === 0 && !look.stands)) return;
      const copy = node.clone();
      if (look.mesh) copy.traverse((part) => part.isMesh && (part.material = look.mesh));
      if (row === 0) copy.applyMatrix4(this.base);
      parent.add(copy);
    });
    this.links.at(-1).add(this.tool);
    this.showFrames(this.frames.length > 0);
  }

  // Puts every link where its frame is: [x, y, z, qx, qy, qz, qw] each.
  pose(links) {
    links.forEach((place, row) => {
      this.links[row].position.set(place[0], place[1], place[2]);
      this.links[row].quaternion.set(place[3], place[4], place[5], place[6]);
    });
  }

  showFrames(wanted) {
    this.frames.forEach((axes) => axes.removeFromParent());
    this.frames = [];
    if (!wanted) return;
    for (const parent of [this.group, ...this.links, this.tool]) {
      const axes = new THREE.AxesHelper(this.size * (parent === this.tool ? 0.16 : 0.1));
      axes.material.depthTest = false;
      axes.renderOrder = 2;
      parent.add(axes);
      this.frames.push(axes);
    }
  }
}

// Returns a scene's nodes with the paint of this view, which is cheaper to draw than glTF's.
function plain(scene) {
  const paints = new Map();
  scene.traverse((part) => {
    if (!part.isMesh) return;
    const { color, opacity, transparent, uuid } = part.material;
    if (!paints.has(uuid)) paints.set(uuid, new THREE.MeshLambertMaterial({ color, opacity, transparent }));
    part.material = paints.get(uuid);
  });
  return [...scene.children];
}

let known = { address: "", nodes: null };

// Returns the nodes of the arm's GLB file, loaded once for each arm.
export async function shapeNodes(address) {
  if (known.address !== address) {
    known = { address, nodes: new GLTFLoader().loadAsync(address).then((file) => plain(file.scene)) };
  }
  return known.nodes;
}

// Paint for the arm itself and for the one that shows where it is going.
export function looks(dark) {
  const paint = (colour) => new THREE.MeshLambertMaterial({ color: colour });
  const ghost = new THREE.MeshLambertMaterial({ color: dark ? 0x5aa9ff : 0x1565c0, transparent: true, opacity: 0.22, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 });
  return {
    solid: { stands: true, body: paint(dark ? 0xb9c4cf : 0xdfe5ea), joint: paint(dark ? 0x4a5866 : 0x5b6b7b), rim: paint(dark ? 0x5aa9ff : 0x1565c0) },
    ghost: { stands: false, body: ghost, joint: ghost, rim: ghost, mesh: ghost },
  };
}
