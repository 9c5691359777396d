"""A cache of files that were made from inputs. The cache is a folder with an entry for each key."""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import threading
import time
from pathlib import Path

from fxt_ending import FOLDERS, LOCK, keep, temporary_folder

LIST = "entry.json"  # the stamps of an entry's files
MAKING, OLD = "making.", "old."  # prefixes of folders: incomplete ones, and ones that are being removed
DAMAGE = (OSError, ValueError, TypeError, AttributeError, RecursionError)  # exceptions that a damaged list can cause
DEAD_AFTER_S = 60  # an unfinished folder of this age that no process has open was left by a killed process


def file_stamp(path):
    status = os.stat(path)
    return [status.st_size, status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]


def stamp_of(path):
    """The stamp of a file, or of all files in a folder. When the content changes, the stamp changes."""
    path = os.path.realpath(path)
    files = {"": file_stamp(path)}
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            with contextlib.suppress(OSError):  # for example a link to nothing
                files[os.path.relpath(os.path.join(folder, name), path)] = file_stamp(os.path.join(folder, name))
    return [path, files]


def files_in(folder):
    """The stamps of the files of an entry, by their relative paths. When a file changes, its stamp changes."""
    stamps = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            relative = os.path.relpath(path, folder)
            if relative != LIST and not os.path.islink(path) and os.path.isfile(path):
                stamps[os.fsencode(relative).hex()] = file_stamp(path)
    return stamps


class Entry:
    """An open folder of the cache. No process removes the folder until close()."""

    def __init__(self, folder, handle):
        self.folder, self.handle = folder, handle

    def __truediv__(self, name):
        return self.folder / name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None


class Cache:
    def __init__(self, folder, most_bytes):
        self.folder, self.most_bytes = Path(folder), most_bytes
        self.lock = threading.Lock()
        self.locks = {}  # a lock for each name of an entry, because only one thread may make an entry

    def get(self, key, make):
        """Opens the entry with this key. If it is missing or damaged, make(folder) writes its files first. The key is
        any value that JSON can represent."""
        name = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]
        with self.lock:
            lock = self.locks.setdefault(name, threading.Lock())
        with lock:
            return self.held(name) or self.made(name, make)

    def held(self, name):
        folder = self.folder / name
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return None
        fcntl.flock(handle, fcntl.LOCK_SH)
        with contextlib.suppress(*DAMAGE):
            if json.loads((folder / LIST).read_bytes()) == files_in(folder):
                os.utime(folder)
                return Entry(folder, handle)
        os.close(handle)
        self.remove(folder)
        return None

    def made(self, name, make):
        making = temporary_folder(MAKING, self.folder)
        handle = os.open(making, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH)
            make(making)
            (making / LIST).write_text(json.dumps(files_in(making)))
            folder = self.folder / name
            with contextlib.suppress(OSError):  # another process may have made the entry meanwhile
                keep(making, folder)
                making = None
            if making:
                return Entry(making, handle)  # the script removes this folder when it ends
        except BaseException:
            os.close(handle)
            shutil.rmtree(making or folder, ignore_errors=True)
            raise
        self.shrink()
        return Entry(folder, handle)

    def remove(self, folder):
        """Removes an entry. Renames the folder first, so that no process finds an entry of which some files are already removed."""
        old = folder.with_name(f"{OLD}{os.getpid()}.{folder.name}")
        with contextlib.suppress(OSError):
            with LOCK:
                folder.rename(old)
                FOLDERS.append(old)
            shutil.rmtree(old, ignore_errors=True)

    def shrink(self):
        """Removes the least recently used entries until the size of all entries is below the limit."""
        entries = []
        for folder in self.folder.iterdir():
            with contextlib.suppress(*DAMAGE):
                used = folder.stat().st_mtime
                if folder.name.startswith((MAKING, OLD)):
                    if used < time.time() - DEAD_AFTER_S:
                        self.remove_unless_held(folder)
                    continue
                size = sum(size for size, *_ in json.loads((folder / LIST).read_bytes()).values())
                entries.append((used, size, folder))
        total = sum(size for _, size, _ in entries)
        for _, size, folder in sorted(entries):
            if total <= self.most_bytes:
                break
            if self.remove_unless_held(folder):
                total -= size

    def remove_unless_held(self, folder):
        with contextlib.suppress(OSError):
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.remove(folder)
                return True
            finally:
                os.close(handle)
        return False


def usual_folder(name):
    """The private folder of this name in the user's cache. Raises OSError if it can't be used."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    home = os.path.expanduser("~")
    if not os.path.isabs(base) and not os.path.isabs(home):
        raise OSError(errno.EINVAL, "$HOME is not an absolute path", home)
    base = Path(base) if os.path.isabs(base) else Path(home) / ".cache"
    folder = base / name
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.geteuid():
        raise PermissionError(13, "belongs to another user", str(folder))
    folder.chmod(0o700)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, os.strerror(13), str(folder))
    return folder
