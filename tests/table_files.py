"""Files of every kind with the same motion in them."""

import gzip
import zipfile

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

RATE = 125.0
ROWS = 50
UR = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint",
      "wrist_2_joint", "wrist_3_joint"]  # fmt: skip


def motion(rows=ROWS, rate=RATE):
    """Return time (n,), q (n, 6) and qd (n, 6) of a smooth motion."""
    t = np.arange(rows) / rate
    w = np.arange(1, 7) * 0.7
    return t, np.sin(np.outer(t, w)) - 0.4, w * np.cos(np.outer(t, w))


def write_table(path, names, columns, *, delimiter=",", decimal=".", end="\n", before=""):
    """Write columns as text with all digits and return the path."""
    rows = [delimiter.join(repr(float(cell)) for cell in row) for row in zip(*columns, strict=True)]
    text = end.join([delimiter.join(names), *rows]) + end
    body = text if decimal == "." else _with_decimal(text, decimal, len(delimiter.join(names)))
    data = (before + body).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def _with_decimal(text, decimal, header):
    return text[:header] + text[header:].replace(".", decimal)


def write_xlsx(path, names, columns):
    """Write columns as a spreadsheet of one sheet."""
    rows = [names, *zip(*columns, strict=True)]
    cells = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/>'
        f'<Override PartName="/xl/s.xml" ContentType="{types}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{kind}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{kind}"><sheets>'
        '<sheet name="data" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{kind}/worksheet" Target="s.xml"/></Relationships>',
        "xl/s.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def _cell(value):
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
    return f"<c><v>{float(value)!r}</v></c>"


def write_bag(path, names, t, q, qd, *, mcap=False, topic="/joint_states", shuffle=False):
    """Write joint states to a bag's folder; ``shuffle`` turns the joints' order in every row."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    state, header, stamp = (
        store.types[f"{name}"]
        for name in ("sensor_msgs/msg/JointState", "std_msgs/msg/Header",
                     "builtin_interfaces/msg/Time")
    )  # fmt: skip
    plugin = StoragePlugin.MCAP if mcap else StoragePlugin.SQLITE3
    with Writer(path, version=9, storage_plugin=plugin) as writer:
        line = writer.add_connection(topic, state.__msgtype__, typestore=store)
        for row, (now, position, speed) in enumerate(zip(t, q, qd, strict=True)):
            order = np.roll(np.arange(len(names)), row if shuffle else 0)
            ns = round(now * 1e9) + 1_700_000_000_000_000_000
            message = state(
                header=header(stamp=stamp(sec=ns // 10**9, nanosec=ns % 10**9), frame_id="base"),
                name=[names[k] for k in order],
                position=position[order],
                velocity=speed[order],
                effort=np.zeros(0),
            )
            writer.write(line, ns, store.serialize_cdr(message, state.__msgtype__))
    return path
