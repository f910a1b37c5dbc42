"""What all tests share: no test fails because a machine is busy; a PostgreSQL of their own, where one is installed."""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("tao", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tao")
NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def cluster():
    """The folder with the socket of a throw-away PostgreSQL, and the user to connect as."""
    if not all(map(shutil.which, ("initdb", "postgres", "pg_isready", "createdb"))) or not find_spec("psycopg"):
        pytest.skip("needs PostgreSQL (initdb, postgres) on the PATH and psycopg")
    root = os.geteuid() == 0
    if root and "postgres" not in {entry.pw_name for entry in pwd.getpwall()}:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    other = {"user": "postgres", "cwd": "/"} if root else {}
    folder = Path(tempfile.mkdtemp(prefix="tao-pg-"))
    if root:
        shutil.chown(folder, "postgres")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = None
    try:
        subprocess.run(["initdb", "-D", folder / "data", "-A", "trust", "-U", "tao", "-E", "UTF8", "-N"], check=True, **quiet, **other)
        server = subprocess.Popen(["postgres", "-D", folder / "data", "-k", folder, "-h", "", "-F"], **quiet, **other)
        for _ in range(600):
            if subprocess.run(["pg_isready", "-q", "-h", folder], check=False).returncode == 0:
                break
            time.sleep(0.1)
        yield folder
    finally:
        if server is not None:
            server.send_signal(signal.SIGINT)
            server.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(cluster):
    """The address of an empty PostgreSQL database."""
    name = f"test{next(NUMBERS)}"
    subprocess.run(["createdb", "-h", cluster, "-U", "tao", name], check=True)
    return f"postgresql+psycopg://tao@/{name}?host={cluster}"


@pytest.fixture
def work():
    """Counts calls of functions, Python's own among them, that something makes: as good as its time, and always the same."""

    def counted(do):
        calls = 0

        def note(frame, event, arg):
            nonlocal calls
            calls += event in {"call", "c_call"}

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            do()
        finally:
            sys.setprofile(before)
        return calls

    return counted
