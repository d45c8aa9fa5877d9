"""Files and options that no FMU can be made of, and what is said about them."""

import struct
import zipfile

import numpy as np
import pytest
from fmu_files import fmu
from vendor_fmu import DESCRIPTION, vendor_fmu

import armtwin
from armtwin.cli.main import run as command_line
from armtwin.errors import FmuError, InputError, MissingDataError, OutputExistsError
from armtwin.fmu.build.platforms import host
from armtwin.fmu.check.check import check_fmu
from armtwin.fmu.export.export import export_fmu
from armtwin.fmu.export.system import export_system
from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals


def joints(rows=3):
    """Return joint inputs."""
    return Signals(0.002 * np.arange(rows), {f"q{k}": np.zeros(rows) for k in range(1, 7)})


def edited(tmp_path, keep=lambda name: True, **changes):
    """Return a copy of the fk FMU with entries left out or rewritten."""
    file = tmp_path / "edited.fmu"
    with zipfile.ZipFile(fmu()) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            if keep(name):
                data = old.read(name)
                for part, change in changes.items():
                    data = change(data) if part in name else data
                new.writestr(name, data)
    return file


def test_no_such_file(tmp_path):
    """The path is reported when there is no file."""
    with pytest.raises(FmuError, match="no such file"):
        Package(tmp_path / "none.fmu")


@pytest.mark.parametrize("damage", ["text", "cut", "flipped", "empty"])
def test_damaged_zip(damage, tmp_path):
    """A file is refused when it is no whole zip archive."""
    whole = fmu().read_bytes()
    body = bytearray(whole)
    with zipfile.ZipFile(fmu()) as archive:
        entry = archive.getinfo("modelDescription.xml")
    for k in range(200):
        body[entry.header_offset + 60 + k] ^= 0xFF
    damaged = {
        "text": b"this is no archive",
        "cut": whole[: len(whole) // 2],
        "flipped": bytes(body),
        "empty": b"",
    }[damage]
    file = tmp_path / "damaged.fmu"
    file.write_bytes(damaged)
    with pytest.raises(FmuError):
        Package(file)


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/outside", "a/../../b", "..\\up", "C:/x"])
def test_entries_that_lead_outside(name, tmp_path):
    """An archive is refused when an entry would be written outside its folder."""
    file = tmp_path / "evil.fmu"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        archive.writestr(name, b"x")
    with pytest.raises(FmuError, match="leads outside"):
        Package(file)


def test_links_are_refused(tmp_path):
    """An archive is refused when an entry is a symbolic link."""
    file = tmp_path / "link.fmu"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        entry = zipfile.ZipInfo("resources/link")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    with pytest.raises(FmuError, match="leads outside"):
        Package(file)


@pytest.mark.parametrize("version", ["1.0", "2.1", "4.0", ""])
def test_other_fmi_versions(version, tmp_path):
    """The version and those that are known are reported when it is another one."""
    file = tmp_path / "old.fmu"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION.replace('"2.0"', f'"{version}"'))
    with pytest.raises(FmuError, match=r"FMI version .*2\.0 and 3\.0"):
        Package(file)


@pytest.mark.parametrize("text", ["<broken", "<fmiModelDescription fmiVersion='2.0'/>", "<a/>"])
def test_unreadable_description(text, tmp_path):
    """A file is refused when its description is not XML or says nothing."""
    file = tmp_path / "odd.fmu"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("modelDescription.xml", text)
    with pytest.raises(FmuError):
        Package(file)


def test_no_binary_for_this_platform(tmp_path):
    """The platforms of the file are listed when this one is not among them."""
    file = tmp_path / "elsewhere.fmu"
    with zipfile.ZipFile(fmu()) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            new.writestr(name.replace(f"binaries/{host().fmi2_folder}", "binaries/plan9"), b"x" if
                         "binaries" in name else old.read(name))  # fmt: skip
    with pytest.raises(FmuError, match=rf"no binary for this platform \({host().name}\).*plan9"):
        run_fmu(file, joints())


def test_library_that_does_not_load(tmp_path):
    """The loader's reason is reported when the library is not one."""
    file = edited(tmp_path, binaries=lambda data: b"not a library")
    with pytest.raises(FmuError, match="does not load"):
        run_fmu(file, joints())


def test_library_of_another_machine(tmp_path):
    """A check fails when a folder holds a library of another machine."""

    def as_arm(data):
        return data[:18] + struct.pack("<H", 183) + data[20:]

    checked = check_fmu(edited(tmp_path, binaries=as_arm), rows=5)
    failed = [f for f in checked.findings if f.outcome == "failed"]
    assert not checked.passed
    assert any("ELF aarch64 in folder" in f.detail for f in failed)


def test_description_of_another_library(tmp_path):
    """A check fails when the description belongs to another library."""
    file = edited(tmp_path, modelDescription=lambda data: data.replace(b'guid="{', b'guid="{0'))
    checked = check_fmu(file, rows=5)
    assert not checked.passed
    assert any("does not instantiate" in f.detail for f in checked.findings)


def test_changed_library_is_noticed(tmp_path):
    """A check fails when the FMU computes other numbers than its arm."""
    change = {"arm.toml": lambda data: data.replace(b"-0.6127", b"-0.6137")}
    assert any(b"-0.6127" in zipfile.ZipFile(fmu()).read("resources/arm.toml") for _ in (0,))
    checked = check_fmu(edited(tmp_path, **change), rows=50)
    failed = [f.what for f in checked.findings if f.outcome == "failed"]
    assert any(what.startswith("Python model") for what in failed)


def test_missing_mode():
    """The modes that exist are reported when another is asked for."""
    observer = fmu("momentum-observer")
    names = [s.name for s in Package(observer).interface.with_causality("input")]
    inputs = Signals(np.array([0.0, 0.1]), {name: np.zeros(2) for name in names})
    with pytest.raises(FmuError, match="offers no mode 'me'; it has: cs"):
        run_fmu(observer, inputs, options=RunFmuOptions(mode="me"))


def test_unknown_start_value():
    """The parameters are listed when a start value names none."""
    with pytest.raises(InputError, match="no variable 'a9'.*a1"):
        run_fmu(fmu(), joints(), options=RunFmuOptions(start={"a9": 1.0}))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "dance"}, "no model 'dance'"),
        ({"fmi": 1}, "FMI version 1"),
        ({"platform": "amiga"}, "platform 'amiga'"),
    ],
)
def test_bad_export_options(options, words, tmp_path):
    """What exists is reported when an option of the export is none."""
    with pytest.raises(InputError, match=words):
        export_fmu(armtwin.load("ur10e"), tmp_path / "x.fmu", **options)


def test_output_exists(tmp_path):
    """An existing file stays as it is when it may not be overwritten."""
    file = tmp_path / "x.fmu"
    file.write_bytes(b"mine")
    with pytest.raises(OutputExistsError):
        export_fmu(armtwin.load("ur10e"), file)
    assert file.read_bytes() == b"mine"
    export_fmu(armtwin.load("ur10e"), file, force=True)
    assert file.read_bytes() == fmu().read_bytes()


def test_wrong_endings(tmp_path):
    """Another ending is refused when an FMU or a system is written."""
    with pytest.raises(InputError, match=r"\.fmu"):
        export_fmu(armtwin.load("ur10e"), tmp_path / "x.zip")
    with pytest.raises(InputError, match=r"\.ssp"):
        export_system(armtwin.load("ur10e"), tmp_path / "x.zip")


def test_arms_that_do_not_serve(tmp_path):
    """What is missing is reported when an arm has no masses or no closed form."""
    with pytest.raises(MissingDataError, match="mass"):
        export_fmu(armtwin.load("ur10e-report"), tmp_path / "x.fmu", model="inverse-dynamics")
    with pytest.raises(InputError, match="UR structure"):
        export_fmu(armtwin.load("desktop5"), tmp_path / "x.fmu", model="ik")


@pytest.mark.parametrize(
    "words",
    [
        ["fmu", "run", "nothing.fmu", "--input", "in.csv", "--out", "out.csv"],
        ["fmu", "run", "{fmu}", "--input", "nothing.csv", "--out", "out.csv"],
        ["fmu", "run", "{fmu}", "--input", "{table}", "--out", "out.txt"],
        ["fmu", "run", "{fmu}", "--input", "{table}", "--out", "out.csv", "--start", "a2"],
        ["fmu", "run", "{fmu}", "--input", "{table}", "--out", "out.csv", "--with", "magic"],
        ["fmu", "check", "nothing.fmu"],
        ["fmu", "export", "ur10e", "--out", "x.zip"],
        ["fmu", "system", "ur10e", "--out", "x.ssp", "--push", "nine=1"],
        ["fmu", "system", "ur10e", "--out", "x.ssp", "--push", "9=1"],
    ],
)
def test_command_line_says_what_is_wrong(words, tmp_path, monkeypatch, capsys):
    """The command line exits with 2 and one line when something is wrong."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("time,q1\n0,1\n1,2\n", encoding="utf-8")
    filled = [word.format(fmu=fmu(), table="table.csv") for word in words]
    assert command_line(filled) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1


def test_vendor_without_dependencies_is_probed():
    """A check runs in both modes when the FMU is another maker's."""
    checked = check_fmu(vendor_fmu(), rows=20)
    done = {f.what: f.outcome for f in checked.findings}
    assert done["run (cs)"] == done["run (me)"] == "passed"
    assert done["Python model"] == "not run"
