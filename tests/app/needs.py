"""Programs that few tests need, and that are large: scripts/test --all installs them."""

import os
import shutil
import unittest


def needs(program):
    """Skips a test where the program is missing; in FXT_CONVERT_ALL_TESTS, the test fails instead."""
    is_missing = shutil.which(program) is None and "FXT_CONVERT_ALL_TESTS" not in os.environ
    return unittest.skipIf(is_missing, f"{program} is not installed")
