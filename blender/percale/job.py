"""percale in the background."""

import json
import os
import subprocess
import threading


class Job:
    """A run of a folder's scene. `poll` says whether it goes on; then `fault` is None or what went wrong."""

    def __init__(self, program, folder, threads=0):
        self.program, self.folder = program, folder
        self.frame, self.fault, self.stopped = 0, None, False
        command = [program, "run", "scene.toml", "--out", "run", "--no-preview", "--progress", "json"]
        command += ["--threads", str(threads)] if threads else []
        self.log = os.path.join(folder, "percale.log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=log)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            try:
                self.frame = json.loads(line)["frame"]
            except (ValueError, KeyError, TypeError):
                pass

    def poll(self):
        code = self.process.poll()
        if code is None:
            return True
        self.reader.join()
        if code != 0 and not self.stopped:
            self.fault = self.told() or "percale ended with code %d" % code
        return False

    def told(self):
        with open(self.log, errors="replace") as log:
            return log.read().strip()[-2000:]

    def stop(self):
        """Asks it to end after the step in hand; what is done stays."""
        self.stopped = True
        if self.process.poll() is None:
            self.process.terminate()

    def wait(self):
        self.process.wait()
        self.poll()


def export(program, folder):
    """Writes the point caches of what has been simulated so far. Raises RuntimeError with what percale says."""
    with open(os.path.join(folder, "plan.json")) as file:
        plan = json.load(file)
    command = [program, "export", "run", "--format", "pc2", "--out", "cache"]
    for _, name, role in plan["objects"]:
        command += ["--object", name]
        if role == "BODY":
            command += ["--embed", "%s=meshes/%s.ply" % (name, name)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
