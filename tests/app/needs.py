"""The requirements of tests: programs that scripts/test --all installs because they are large, and unreadable files."""

import os
import shutil
import unittest


def needs(program):
    """Skips a test if the program is missing; with FXT_CONVERT_ALL_TESTS, the test fails instead."""
    is_missing = shutil.which(program) is None and "FXT_CONVERT_ALL_TESTS" not in os.environ
    return unittest.skipIf(is_missing, f"{program} is not installed")


def bound_by_permissions():
    """The start of a command to which permissions of files apply, although root runs it.

    Another user can't run the command, because other users may not enter the folder of this checkout.
    """
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
