"""The examples of README.md run, and types are right: those of the examples and of the package."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import percale

from test_percale import HOUSE, Case

EXAMPLES = re.findall(r"^```python\n(.*?)^```$", (HOUSE / "python/README.md").read_text(), re.DOTALL | re.MULTILINE)
PACKAGE = Path(percale.__file__).parent


def there(module):
    return importlib.util.find_spec(module) is not None


class Readme(Case):
    def test_examples_run(self):
        self.assertEqual(len(EXAMPLES), 5)
        for k, example in enumerate(EXAMPLES):
            if "scipy" in example and not there("scipy"):
                continue
            with self.subTest(example=k):
                words = [sys.executable, self.file(f"example_{k}.py", example)]
                done = subprocess.run(words, cwd=HOUSE, capture_output=True, text=True, timeout=600)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr, "")

    def test_the_study_is_there(self):
        self.assertIn("brentq", EXAMPLES[-1])

    @unittest.skipUnless(there("mypy"), "mypy is not installed")
    def test_types_are_strict(self):
        for k, example in enumerate(EXAMPLES):
            self.file(f"example_{k}.py", example)
        (self.folder / "mypy.ini").write_text("[mypy]\nstrict = True\n[mypy-scipy.*]\nignore_missing_imports = True\n")
        wrong = self.file("wrong.py", "import percale\npercale.Simulation('a.toml').set_wind(velocity=None, now=3)\n")
        # In its own folder: mypy takes what is beside an installed package for sources too.
        own = self.folder / "own" / "percale"
        shutil.copytree(PACKAGE, own, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
        for words, code in [
            (["--strict", str(own)], 0),
            (sorted(str(path) for path in self.folder.glob("example_*.py")), 0),
            ([str(wrong)], 1),
        ]:
            command = [sys.executable, "-m", "mypy", "--cache-dir", os.devnull, *words]
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)

    @unittest.skipUnless(there("mypy"), "mypy is not installed")
    def test_stubs_are_those_of_the_module(self):
        command = [sys.executable, "-m", "mypy.stubtest", "percale", "--ignore-missing-stub"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_package_says_that_it_has_types(self):
        self.assertTrue((PACKAGE / "py.typed").is_file() and (PACKAGE / "_percale.pyi").is_file())


if __name__ == "__main__":
    unittest.main()
