// What the scene is given. Lengths in m, angles in rad, quaternions x, y, z, w, matrices 4x4 by columns.

export type Vec3 = readonly [number, number, number];
export type Matrix16 = readonly number[];

/** One solid of a link, in the link frame of its row (row 0: the base, in frame 0). */
export interface Part {
  readonly link: number;
  readonly kind: "cylinder" | "capsule" | "sphere" | "box" | "ellipsoid";
  /** cylinder, capsule: radius, length. sphere: radius. box: edges. ellipsoid: half axes. */
  readonly size: readonly number[];
  readonly pose: Matrix16;
  /** Red, green, blue, opacity; 0 to 1, sRGB. */
  readonly colour: readonly number[];
  /** What the solid is for, which decides how it is drawn. */
  readonly role: "housing" | "tube" | "lid" | "foot" | "other";
}

export interface JointDescription {
  readonly name: string;
  readonly kind: "revolute" | "prismatic";
  readonly lower: number;
  readonly upper: number;
  /** Distance to a limit below which there is a warning. */
  readonly near: number;
  /** Row of the chain that the joint moves, from 1. */
  readonly row: number;
  /** Pose of the joint's frame (z along its axis) in the row's link frame. */
  readonly axis: Matrix16;
}

/** The arm as the scene draws it. `viewer/description.py` writes it. */
export interface ArmDescription {
  readonly name: string;
  readonly title: string;
  readonly joints: readonly JointDescription[];
  /** Rows of the chain; a state has one link pose for each of them. */
  readonly rows: number;
  /** Pose of frame 0 in base. */
  readonly frame: Matrix16;
  /** Pose of the flange and of the tool in the last link frame. */
  readonly flange: Matrix16;
  readonly tool: Matrix16;
  readonly reach: number;
  /** Solids; empty where the arm has meshes. */
  readonly parts: readonly Part[];
  /** Whether the arm has meshes: a GLB file with nodes link_0 ... link_n. */
  readonly meshes: boolean;
  /** Names of a positive and a negative side of shoulder, elbow and wrist; empty where branches have no names. */
  readonly sides: readonly (readonly [string, string])[];
  /** Names of the singularities between them, and the size of a side below which there is a warning. */
  readonly singularities: readonly string[];
  readonly near_singular: number;
}

/** A branch of the inverse kinematics in a list. */
export interface BranchEntry {
  readonly name: string;
  readonly q: ArrayLike<number>;
  readonly singular: boolean;
}

/** Another way to reach the pose of the tool. */
export interface BranchShape {
  readonly name: string;
  readonly poses: LinkPoses;
}

/** Poses of all link frames in base: rows x (x, y, z, qx, qy, qz, qw), one after the other. */
export type LinkPoses = ArrayLike<number>;

/** A contact to draw at a joint: external torque [Nm] or force [N] with its text. */
export interface ContactMark {
  /** Joint number from 0. */
  readonly joint: number;
  /** Signed size; its sign turns the ring's arrow. */
  readonly size: number;
  readonly text: string;
  /** 1 when new, 0 when faded. */
  readonly strength: number;
}

export interface PathPoint {
  readonly position: Vec3;
  /** What colours the path, e.g. the position error [m]. */
  readonly value: number;
}
