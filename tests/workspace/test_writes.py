"""Writing, deleting and renaming for real: atomic, never stale, and told to everybody."""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from pydantic import ValidationError

from editstream.workspace import StaleFile, TextFile, UnsafePath, Workspace, WriteEvent

AS_NOBODY = """
import os, sys
from editstream.workspace import Workspace
os.setgid(65534); os.setuid(65534)
try: Workspace(sys.argv[1]).write_text(sys.argv[2], "new")
except PermissionError: print("refused")
"""


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_each_kind_of_write_is_an_event(tmp_path: Path) -> None:
    """Each kind of write publishes one event, true in every field, and returns it."""
    workspace = Workspace(tmp_path)
    seen: list[WriteEvent] = []
    workspace.events.subscribe(seen.append)
    returned = [
        workspace.write_text("a/b.txt", "one"),
        workspace.write_text("a/b.txt", "zwölf"),
        workspace.rename("a/b.txt", "c/d.txt"),
        workspace.delete("c/d.txt"),
    ]
    one, twelve = sha(b"one"), sha("zwölf".encode())
    assert seen == returned
    assert [
        (each.kind, each.path, each.old_path, each.hash_before, each.hash_after, each.size, each.sequence)
        for each in seen
    ] == [
        ("created", "a/b.txt", None, None, one, 3, 1),
        ("modified", "a/b.txt", None, one, twelve, 6, 2),
        ("renamed", "c/d.txt", "a/b.txt", twelve, twelve, 6, 3),
        ("deleted", "c/d.txt", None, twelve, None, 0, 4),
    ]
    assert {each.root for each in seen} == {os.path.realpath(tmp_path)}
    assert [each.time for each in seen] == sorted(each.time for each in seen)


def test_an_event_survives_json_and_cannot_be_changed(tmp_path: Path) -> None:
    """A write event is the same after a trip through JSON, and frozen."""
    event = Workspace(tmp_path).write_text("a", "x")
    assert WriteEvent.model_validate_json(event.model_dump_json()) == event
    with pytest.raises(ValidationError):
        event.path = "b"  # type: ignore[misc]


def test_a_subscriber_sees_the_file_before_the_call_returns(tmp_path: Path) -> None:
    """When an event arrives the file is already what it says, and the write call has not returned."""
    workspace = Workspace(tmp_path)
    seen: list[tuple[str, bool]] = []
    returned = False
    workspace.events.subscribe(lambda event: seen.append(((tmp_path / event.path).read_text(), returned)))
    workspace.write_text("a", "x")
    returned = True
    assert seen == [("x", False)]


def test_a_failing_subscriber_harms_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A subscriber that raises is logged; the write stands and the others still get the event."""
    workspace = Workspace(tmp_path)
    seen: list[WriteEvent] = []

    def fail(event: WriteEvent) -> None:
        raise RuntimeError(event.path)

    workspace.events.subscribe(fail)
    workspace.events.subscribe(seen.append)
    workspace.write_text("a", "x")
    assert [event.path for event in seen] == ["a"]
    assert "a subscriber failed on write event 1" in caplog.text
    assert "RuntimeError: a" in caplog.text


def test_unsubscribing_ends_the_events(tmp_path: Path) -> None:
    """After unsubscribing, once or twice, no event comes; a callback subscribed twice has two subscriptions."""
    workspace = Workspace(tmp_path)
    seen: list[WriteEvent] = []
    first = workspace.events.subscribe(seen.append)
    workspace.events.subscribe(seen.append)
    workspace.write_text("a", "x")
    first()
    first()
    workspace.write_text("a", "y")
    assert [event.sequence for event in seen] == [1, 1, 2]


def test_the_events_are_a_hot_observable(tmp_path: Path) -> None:
    """Each subscription to the observable sees the events from then on, until it is disposed."""
    workspace = Workspace(tmp_path)
    observable = workspace.events.observable()
    early: list[int] = []
    late: list[int] = []
    disposable = observable.subscribe(lambda event: early.append(event.sequence))
    workspace.write_text("a", "x")
    observable.subscribe(lambda event: late.append(event.sequence))
    workspace.write_text("a", "y")
    disposable.dispose()
    workspace.write_text("a", "z")
    assert (early, late) == ([1, 2], [2, 3])


def test_a_subscriber_may_write(tmp_path: Path) -> None:
    """A subscriber that writes in turn does not hang, and its event has been seen when its write returns."""
    workspace = Workspace(tmp_path)
    seen: list[str] = []

    def copy(event: WriteEvent) -> None:
        if event.path == "a":
            workspace.write_text("b", "copy")
            assert seen[-1] == "b"

    workspace.events.subscribe(lambda event: seen.append(event.path))
    workspace.events.subscribe(copy)
    workspace.write_text("a", "x")
    assert seen == ["a", "b"]


def test_a_subscriber_that_writes_keeps_the_order(tmp_path: Path) -> None:
    """Where a subscriber writes in turn, those before it and those after it see all events in the order on disk."""
    workspace = Workspace(tmp_path)
    early, late = list[int](), list[int]()

    def copy(event: WriteEvent) -> None:
        if event.sequence < 4:
            assert workspace.write_text(event.path + "x", "copy").sequence == late[-1]

    workspace.events.subscribe(lambda event: early.append(event.sequence))
    workspace.events.subscribe(copy)
    workspace.events.subscribe(lambda event: late.append(event.sequence))
    workspace.write_text("a", "x")
    assert early == late == [1, 2, 3, 4]


def test_who_leaves_while_others_are_told_is_not_called(tmp_path: Path) -> None:
    """A subscriber whom an earlier one unsubscribes during an event does not get it; the rest does."""
    workspace = Workspace(tmp_path)
    seen = list[str]()
    workspace.events.subscribe(lambda _: leave())
    leave = workspace.events.subscribe(lambda _: seen.append("left"))
    workspace.events.subscribe(lambda _: seen.append("stayed"))
    workspace.write_text("a", "x")
    assert seen == ["stayed"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_a_subscriber_that_ends_the_program_harms_nobody(tmp_path: Path, error: type[BaseException]) -> None:
    """What is no Exception comes out of the write call, once every other subscriber was told, and the write stands."""
    workspace = Workspace(tmp_path)
    seen = list[int]()

    def end(event: WriteEvent) -> None:
        raise error

    for callback in (end, lambda event: seen.append(event.sequence)) * 2:
        workspace.events.subscribe(callback)
    for attempt in (
        lambda: workspace.write_text("new/a", "x"),
        lambda: workspace.rename("new/a", "b"),
        lambda: workspace.delete("b"),
    ):
        with pytest.raises(error):
            attempt()
    assert seen == [1, 1, 2, 2, 3, 3]
    assert [path.name for path in tmp_path.rglob("*")] == ["new"]


def test_threads_write_one_after_another(tmp_path: Path) -> None:
    """Events of writes from many threads come one at a time, in the order of their numbers, none missing."""
    workspace = Workspace(tmp_path)
    seen: list[int] = []
    workspace.events.subscribe(lambda event: (time.sleep(0.0001), seen.append(event.sequence))[1])
    threads = [
        threading.Thread(target=lambda name=name: [workspace.write_text(f"{name}/{i}", "x") for i in range(10)])
        for name in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == list(range(1, 41))


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o640, 0o4755])
def test_the_mode_is_kept(tmp_path: Path, mode: int) -> None:
    """An edited file has the mode it had."""
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(mode)
    Workspace(tmp_path).write_text("a", "new")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_a_new_file_gets_the_usual_mode(tmp_path: Path) -> None:
    """A new file has the mode that open() would give it."""
    Workspace(tmp_path).write_text("a", "x")
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    """A file that root edits still belongs to its owner."""
    (tmp_path / "a").write_text("old")
    os.chown(tmp_path / "a", 65534, 65534)
    Workspace(tmp_path).write_text("a", "new")
    status = (tmp_path / "a").stat()
    assert (status.st_uid, status.st_gid) == (65534, 65534)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="extended attributes are kept on Linux")
def test_extended_attributes_are_kept(tmp_path: Path) -> None:
    """An edited file has the extended attributes it had, an access list among them, and none that its folder gives."""
    entry = struct.Struct("<HHI")
    user, group, mask, other, named = 1, 4, 16, 32, 2
    whoever = 0xFFFFFFFF
    entries = [(user, 6, whoever), (named, 7, 65534), (group, 0, whoever), (mask, 7, whoever), (other, 0, whoever)]
    access = struct.pack("<I", 2) + b"".join(entry.pack(*each) for each in entries)
    for name in ("open", "listed"):
        (tmp_path / name).write_text("old")
        (tmp_path / name).chmod(0o660)
    try:
        os.setxattr(tmp_path / "listed", "user.note", b"kept")
        os.setxattr(tmp_path / "listed", "system.posix_acl_access", access)
        os.setxattr(tmp_path, "system.posix_acl_default", access)
    except OSError as error:
        pytest.skip(f"this file system has no such attributes: {error}")
    assert not os.listxattr(tmp_path / "open")
    for path in (tmp_path / "open", tmp_path / "listed"):
        before = {name: os.getxattr(path, name) for name in os.listxattr(path)}
        Workspace(tmp_path).write_text(path.name, "new")
        assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == before


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to become another user")
def test_who_cannot_give_a_file_away_keeps_its_group(tmp_path: Path) -> None:
    """Another user's edit keeps the group where he is in it, and hands on no set-id bit where the owner is he now."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    (tmp_path / "shared/a").write_text("old")
    os.chown(tmp_path / "shared/a", 0, 4242)
    (tmp_path / "shared/a").chmod(0o6775)
    script = (
        "import os, sys\n"
        "from editstream.workspace import Workspace\n"
        "os.setgroups([4242]); os.setgid(65534); os.setuid(65534)\n"
        "Workspace(sys.argv[1]).write_text('a', 'new')\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "shared")], check=True, cwd=tmp_path)
    status = (tmp_path / "shared/a").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (65534, 4242, 0o775)


def test_another_name_of_the_file_is_not_parted_silently(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Writing one of two hard links leaves the other with the old text, and says so."""
    (tmp_path / "a").write_text("old")
    os.link(tmp_path / "a", tmp_path / "b")
    Workspace(tmp_path).write_text("a", "new")
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("new", "old")
    assert caplog.messages == ["'a' was one of 2 names of a file; the others keep the old text"]
    Workspace(tmp_path).write_text("a", "newer")
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text("theirs"),
        lambda path: path.unlink(),
        lambda path: (path.unlink(), path.write_text("more")),
        lambda path: path.write_text("OLD"),
    ],
    ids=["written", "deleted", "replaced", "same size"],
)
def test_a_file_that_changed_is_stale(tmp_path: Path, change: object) -> None:
    """A write that expects what was read raises StaleFile when the file is another by now, and leaves it alone."""
    path = tmp_path / "a"
    path.write_text("old")
    workspace = Workspace(tmp_path)
    file = workspace.read("a")
    status = path.stat()
    assert callable(change)
    change(path)
    if path.exists():
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # a clock too coarse to show it
    after = path.read_text() if path.exists() else None
    with pytest.raises(StaleFile):
        workspace.write_text("a", "mine", expected=file)
    assert (path.read_text() if path.exists() else None) == after


def test_a_new_file_that_exists_by_now_is_stale(tmp_path: Path) -> None:
    """A write that expects no file raises StaleFile where there is one by now, also an empty one."""
    workspace = Workspace(tmp_path)
    file = workspace.read("a", missing_ok=True)
    assert file == TextFile("a")
    assert not file.exists
    (tmp_path / "a").touch()
    with pytest.raises(StaleFile):
        workspace.write_text("a", "mine", expected=file)


def test_a_file_only_touched_is_not_stale(tmp_path: Path) -> None:
    """A file whose time changed and whose bytes did not is still what was read."""
    (tmp_path / "a").write_text("old")
    workspace = Workspace(tmp_path)
    file = workspace.read("a")
    os.utime(tmp_path / "a", (1, 1))
    assert workspace.write_text("a", "new", expected=file).kind == "modified"


@pytest.mark.parametrize("theirs", ["theirs", "OLD", None])
def test_a_write_in_the_last_moment_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theirs: str | None
) -> None:
    """What another does while ours is being flushed raises StaleFile, even where neither size nor time shows it."""
    path = tmp_path / "a"
    path.write_text("old")
    status = path.stat()
    flush = os.fsync

    def they_write(descriptor: int) -> None:
        flush(descriptor)
        if theirs is None:
            path.unlink()
        else:
            path.write_text(theirs)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    monkeypatch.setattr(os, "fsync", they_write)
    with pytest.raises(StaleFile):
        Workspace(tmp_path).write_text("a", "mine")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == ([("a", theirs)] if theirs else [])


def test_a_folder_swapped_for_a_link_meanwhile_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that becomes a link out of the root while a file in it is written leaves nothing outside."""
    (tmp_path / "root/sub").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    flush = os.fsync

    def they_swap(descriptor: int) -> None:
        flush(descriptor)
        if not (tmp_path / "root/sub").is_symlink():
            (tmp_path / "root/sub").rename(tmp_path / "outside/sub")
            (tmp_path / "root/sub").symlink_to("../outside/sub")

    monkeypatch.setattr(os, "fsync", they_swap)
    with pytest.raises(UnsafePath):
        Workspace(tmp_path / "root").write_text("sub/a", "mine")
    assert not list((tmp_path / "outside/sub").iterdir())


def test_reading_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    """A missing file raises FileNotFoundError on reading, deleting and renaming, and makes no folder."""
    workspace = Workspace(tmp_path)
    for attempt in (
        lambda: workspace.read("a/b"),
        lambda: workspace.delete("a/b"),
        lambda: workspace.rename("a/b", "c/d"),
    ):
        with pytest.raises(FileNotFoundError):
            attempt()
    assert not list(tmp_path.iterdir())


def test_rename_overwrites_nothing(tmp_path: Path) -> None:
    """Renaming onto an existing file raises FileExistsError, also onto another name of the same file."""
    workspace = Workspace(tmp_path)
    workspace.write_text("a", "a")
    workspace.write_text("b", "b")
    if (tmp_path / "A").exists():
        pytest.skip("this file system ignores case, so the two names cannot be two entries")
    os.link(tmp_path / "a", tmp_path / "A")
    for new in ("b", "A"):
        with pytest.raises(FileExistsError):
            workspace.rename("a", new)
    assert (tmp_path / "b").read_text() == "b"


def test_a_link_is_deleted_and_renamed_itself(tmp_path: Path) -> None:
    """Deleting and renaming a link leave what it leads to alone, even where that lies outside."""
    (tmp_path / "outside").write_text("kept")
    (tmp_path / "root").mkdir()
    (tmp_path / "root/link").symlink_to("../outside")
    workspace = Workspace(tmp_path / "root")
    assert workspace.rename("link", "other").hash_after is None
    assert (tmp_path / "root/other").is_symlink()
    assert workspace.delete("other").hash_before is None
    assert (tmp_path / "outside").read_text() == "kept"
    assert not list((tmp_path / "root").iterdir())


@pytest.mark.parametrize("path", ["locked/a", "locked/new", "readonly", "locked/sub/new"])
@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to become another user")
def test_what_may_not_be_written_is_left_alone(tmp_path: Path, path: str) -> None:
    """Another user's write to a read-only file or folder raises PermissionError and leaves no temporary file."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked/a").write_text("old")
    (tmp_path / "readonly").write_text("old")
    before = sorted(str(each) for each in tmp_path.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(tmp_path), path], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout == "refused\n"
    assert sorted(str(each) for each in tmp_path.rglob("*")) == before
    assert (tmp_path / "readonly").read_text() == (tmp_path / "locked/a").read_text() == "old"


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """A write that the system cuts off, as a full disk would, leaves the old file and no new folder."""
    (tmp_path / "a").write_text("old")
    script = (
        "import resource, signal, sys\n"
        "from editstream.workspace import Workspace\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "workspace = Workspace(sys.argv[1])\n"
        "for path in ('a', 'new/b'):\n"
        "    try: workspace.write_text(path, 'x' * 100_000)\n"
        "    except OSError as error: print(error.errno)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert len(done.stdout.split()) == 2
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.02, 0.05])
def test_ctrl_c_leaves_one_whole_file(tmp_path: Path, delay: float) -> None:
    """Interrupting a writer at any moment leaves the file whole, old or new, and no temporary file."""
    script = (
        "import sys\n"
        "from editstream.workspace import Workspace\n"
        "workspace = Workspace(sys.argv[1])\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    while True:\n"
        "        for text in ('a' * 300_000, 'b' * 300_000): workspace.write_text('f', text)\n"
        "except KeyboardInterrupt: sys.exit(9)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(0.05 + delay)
        writer.send_signal(signal.SIGINT)
        assert writer.wait(20) == 9
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    text = (tmp_path / "f").read_text()
    assert text in ("a" * 300_000, "b" * 300_000)


def test_whoever_reads_meanwhile_sees_whole_files(tmp_path: Path) -> None:
    """A reader beside a busy writer never sees a file that is missing, cut, or mixed from two texts."""
    workspace = Workspace(tmp_path)
    workspace.write_text("f", "a" * 50_000)
    wrong: list[str] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            text = (tmp_path / "f").read_text()
            if len(text) != 50_000 or len(set(text)) != 1:
                wrong.append(text[:10])

    reader = threading.Thread(target=watch)
    reader.start()
    for letter in "bcdefghij" * 2:
        workspace.write_text("f", letter * 50_000)
    done.set()
    reader.join()
    assert not wrong
