// The 3-D view: the arm, its ghost, the floor and the tool's path; drawn only when something moved.
import { OrbitControls, THREE } from "/three/index.js";
import { ArmBody, looks, shapeNodes } from "/assets/arm_shapes.js";

const TRAIL = 1500;
const SHORTEST_STEP = 0.0005;
const PATH_COLOUR = 0xe07b00;

export class ArmScene {
  constructor(place, geometry, dark) {
    this.place = place;
    this.geometry = geometry;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, powerPreference: "low-power" });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    place.appendChild(this.renderer.domElement);
    this.renderer.domElement.setAttribute("aria-hidden", "true");
    this.camera = new THREE.PerspectiveCamera(38, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.draw());
    this.wanted = { frames: false, path: true, ghost: true };
    this.trail = { points: new Float32Array(TRAIL * 3), count: 0 };
    this.build(dark);
    this.home();
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(place);
  }

  build(dark) {
    this.scene = new THREE.Scene();
    const reach = this.geometry.reach;
    this.scene.add(new THREE.HemisphereLight(0xffffff, dark ? 0x3a4652 : 0xb9c4cf, dark ? 1.6 : 2.2));
    const sun = new THREE.DirectionalLight(0xffffff, dark ? 1.6 : 1.9);
    sun.position.set(1.5, -2, 3);
    this.scene.add(sun);
    const floor = new THREE.GridHelper(4 * reach, 20, dark ? 0x4a5866 : 0x9aa7b4, dark ? 0x2b343e : 0xd5dce3);
    floor.rotation.x = Math.PI / 2;
    this.scene.add(floor);
    const paint = looks(dark);
    this.arm = new ArmBody(this.geometry, paint.solid);
    this.ghost = new ArmBody(this.geometry, paint.ghost);
    this.ghost.group.visible = false;
    this.scene.add(this.arm.group, this.ghost.group, this.line());
    this.arm.showFrames(this.wanted.frames);
    if (this.last) this.arm.pose(this.last);
    this.draw();
    this.dress(paint);
  }

  // Replaces the bars by the arm's shapes once they are loaded; the bars stay where that fails.
  async dress(paint) {
    const [arm, ghost] = [this.arm, this.ghost];
    try {
      const nodes = await shapeNodes(`/api/arms/shown/shapes.glb?v=${this.geometry.version}`);
      arm.dress(nodes, paint.solid);
      ghost.dress(nodes, paint.ghost);
      this.place.dataset.shapes = String(nodes.length);
      this.draw();
    } catch {
      this.place.dataset.shapes = "0";
    }
  }

  line() {
    const shape = new THREE.BufferGeometry();
    shape.setAttribute("position", new THREE.BufferAttribute(this.trail.points, 3));
    shape.setDrawRange(0, this.trail.count);
    this.path = new THREE.Line(shape, new THREE.LineBasicMaterial({ color: PATH_COLOUR, depthTest: false }));
    this.path.frustumCulled = false;
    this.path.renderOrder = 1;
    this.path.visible = this.wanted.path;
    return this.path;
  }

  home() {
    const reach = this.geometry.reach;
    this.camera.position.set(1.0 * reach, -1.6 * reach, 1.05 * reach);
    this.controls.target.set(0, 0, 0.4 * reach);
    this.controls.minDistance = 0.3 * reach;
    this.controls.maxDistance = 8 * reach;
    this.controls.update();
    this.draw();
  }

  // Shows a state; returns at once, the picture follows with the next frame.
  show(links, position) {
    if (this.last && links.every((row, i) => row.every((value, k) => value === this.last[i][k]))) return;
    this.last = links;
    this.arm.pose(links);
    this.extend(position);
    this.draw();
  }

  showGhost(links) {
    const visible = Boolean(links) && this.wanted.ghost;
    if (!visible && !this.ghost.group.visible) return;
    this.ghost.group.visible = visible;
    if (visible) this.ghost.pose(links);
    this.draw();
  }

  want(name, wanted) {
    this.wanted[name] = wanted;
    if (name === "frames") this.arm.showFrames(wanted);
    if (name === "path") this.path.visible = wanted;
    if (name === "ghost" && !wanted) this.ghost.group.visible = false;
    this.draw();
  }

  clearPath() {
    this.trail.count = 0;
    this.path.geometry.setDrawRange(0, 0);
    this.draw();
  }

  extend(position) {
    const { points, count } = this.trail;
    const at = (count - 1) * 3;
    const step = count ? Math.hypot(position[0] - points[at], position[1] - points[at + 1], position[2] - points[at + 2]) : 1;
    if (step < SHORTEST_STEP) return;
    if (count === TRAIL) points.copyWithin(0, 3);
    this.trail.count = Math.min(count + 1, TRAIL);
    points.set(position, (this.trail.count - 1) * 3);
    this.path.geometry.attributes.position.needsUpdate = true;
    this.path.geometry.setDrawRange(0, this.trail.count);
  }

  resize() {
    const { clientWidth, clientHeight } = this.place;
    if (!clientWidth || !clientHeight) return;
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.fov = clientWidth < clientHeight ? 46 : 38;
    this.camera.updateProjectionMatrix();
    this.renderer.setSize(clientWidth, clientHeight);
    this.draw();
  }

  draw() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => {
      this.due = 0;
      this.renderer.render(this.scene, this.camera);
      this.place.dataset.drawn = String(1 + Number(this.place.dataset.drawn || 0));
    });
  }

  end() {
    cancelAnimationFrame(this.due);
    this.sizes.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.domElement.remove();
  }
}
