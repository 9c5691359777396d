"""What tests need of the machine: programs that scripts/test --all installs, as they are large, and files that may not be read."""

import os
import shutil
import unittest


def needs(program):
    """Skips a test where the program is missing; in FXT_CONVERT_ALL_TESTS, the test fails instead."""
    is_missing = shutil.which(program) is None and "FXT_CONVERT_ALL_TESTS" not in os.environ
    return unittest.skipIf(is_missing, f"{program} is not installed")


def bound_by_permissions():
    """The beginning of a command to which permissions of files apply, as they do not to root. It is run by root all the
    same, who may enter the folder of this checkout where others may not."""
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
