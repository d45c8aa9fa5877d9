"""The links and joints of a URDF as a tree, and the chain chosen from it."""

from __future__ import annotations

from armtwin.model.tree import TreeBody, tips
from armtwin.model.xml_source import Node


def links_and_joints(robot: Node) -> dict[str, tuple[Node, Node | None]]:
    """Return every link with the joint above it, after checking that they form one tree."""
    _refuse_xacro(robot)
    links = _by_name(robot.all("link"))
    if not links:
        raise robot.fault("has no <link>; an arm needs links and joints")
    _by_name(robot.all("joint"))
    above: dict[str, Node] = {}
    for joint in robot.all("joint"):
        child = _end_of(joint, "child", links)
        _end_of(joint, "parent", links)
        if child in above:
            other = above[child].attributes["name"]
            raise joint.fault(
                f"link {child!r} already hangs on joint {other!r}; a link has one parent"
            )
        above[child] = joint
    roots = [name for name in links if name not in above]
    if len(roots) != 1:
        what = f"several roots: {', '.join(roots)}" if roots else "a closed loop and no root"
        raise robot.fault(f"its links have {what}; expected one link that is no joint's child")
    _refuse_loops(links, above)
    return {name: (links[name], above.get(name)) for name in links}


def _refuse_xacro(robot: Node) -> None:
    for node in robot.children:
        if node.tag.startswith("xacro:"):
            raise node.fault(
                "this is a xacro file; turn it into URDF first: xacro in.xacro > out.urdf"
            )


def _by_name(nodes: list[Node]) -> dict[str, Node]:
    named: dict[str, Node] = {}
    for node in nodes:
        if node.text("name") in named:
            line = named[node.text("name")].line
            raise node.fault(f"this name was given before, on line {line}; names must differ")
        named[node.text("name")] = node
    return named


def _end_of(joint: Node, which: str, links: dict[str, Node]) -> str:
    name = joint.the(which).text("link")
    if name not in links:
        raise joint.fault(f"{which} link {name!r} does not exist; there are {', '.join(links)}")
    return name


def _refuse_loops(links: dict[str, Node], above: dict[str, Node]) -> None:
    for name in links:
        at, steps = name, 0
        while at in above:
            at, steps = above[at].the("parent").text("link"), steps + 1
            if steps > len(links):
                raise above[name].fault("is part of a closed loop; an arm is an open chain")


def chosen_tip(robot: Node, bodies: dict[str, TreeBody], tip: str | None) -> str:
    """Return the link that the chain ends in: the one asked for, or the only tip there is."""
    if tip is not None:
        if tip not in bodies:
            raise robot.fault(f"has no link {tip!r} to end in; there are {', '.join(bodies)}")
        return tip
    ends = tips(bodies)
    if len(ends) > 1:
        raise robot.fault(
            f"branches to the tips {', '.join(ends)}; an arm is one chain: choose where it ends, "
            f"as in load(path, tip={ends[-1]!r})"
        )
    return ends[0]
