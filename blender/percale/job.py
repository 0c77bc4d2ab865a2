"""percale in the background."""

import json
import os
import subprocess
import threading
import time

from . import faults, program


def plan_of(folder):
    """What the scene in a folder was written by."""
    with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
        return json.load(file)


def span(seconds):
    """12 s, 3 min 5 s, 2 h 4 min."""
    whole = max(0, round(seconds))
    if whole < 60:
        return "%d s" % whole
    if whole < 3600:
        return "%d min %d s" % (whole // 60, whole % 60)
    return "%d h %d min" % (whole // 3600, whole // 60 % 60)


class Job:
    """A run of a folder's scene, or a check of it. `poll` says whether it goes on; then `told` is what percale said, and
    `fault` says that it failed."""

    def __init__(self, path, folder, threads=0, resume=False, check=False):
        self.path, self.folder, self.resume, self.check = path, folder, resume, check
        self.plan = plan_of(folder)
        self.first, self.count = self.plan["first"], self.plan["count"]
        self.done, self.begun, self.latest = 0, None, (0, 0.0)
        self.fault, self.stopped, self.told = False, False, []
        self.started = time.time() - 1
        command = [path, "check", "scene.toml"]
        if not check:
            command = [path, "run", "scene.toml", "--out", "run", "--no-preview", "--progress", "json"]
            command += ["--threads", str(threads)] if threads else []
            command += ["--resume"] if resume else []
        self.log = os.path.join(folder, "percale.log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, stdout=subprocess.PIPE, stderr=log, **program.quiet()
            )
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            try:
                frame = json.loads(line)["frame"]
            except (ValueError, KeyError, TypeError):
                continue
            done, now = frame - self.first + 1, time.monotonic()
            # The time of a frame is reckoned from the first one that this run has made.
            self.begun = self.begun or (done, now)
            self.latest = (done, now)
            self.done = done

    def left(self):
        """Seconds left, from the mean of the frames made so far; none before there is one."""
        if self.begun is None or self.latest[0] <= self.begun[0]:
            return None
        each = (self.latest[1] - self.begun[1]) / (self.latest[0] - self.begun[0])
        since = min(each, time.monotonic() - self.latest[1])
        return each * (self.count - self.latest[0]) - since

    def status(self):
        """How far it is, in a line."""
        if self.check:
            return "checks the scene"
        if self.done == 0:
            return "reads the scene"
        text = "frame %d, %d of %d" % (self.first + self.done - 1, self.done, self.count)
        left = self.left()
        return text if left is None or self.done >= self.count else "%s, %s left" % (text, span(left))

    def poll(self):
        code = self.process.poll()
        if code is None:
            return True
        self.reader.join()
        self.process.stdout.close()
        with open(self.log, errors="replace", encoding="utf-8") as log:
            said = log.read()
        self.told = faults.read(said, self.plan)
        # 75: it was stopped by a signal, whoever sent it.
        self.stopped |= code == 75
        if self.stopped:
            self.told = [t for t in self.told if not t.text.startswith("stopped: ")]
        if code != 0 and not self.stopped:
            self.fault = True
            if all(t.warning for t in self.told):
                text = said.strip()[-2000:] or "percale ended with code %d and said nothing" % code
                self.told.append(faults.Told(text))
        return False

    def stop(self):
        """Asks it to end after the step in hand; what is done stays."""
        self.stopped = True
        if self.process.poll() is None:
            self.process.terminate()

    def wait(self, told=print):
        """Until it ends; tells how far it is every five seconds."""
        last = time.monotonic()
        while self.poll():
            if time.monotonic() - last > 5:
                last = time.monotonic()
                told("percale: " + self.status())
            time.sleep(0.02)


def export(path, folder):
    """Writes the point caches of what has been simulated so far. Raises RuntimeError with what percale says."""
    command = [path, "export", "run", "--format", "pc2", "--out", "cache"]
    for _, name, role in plan_of(folder)["objects"]:
        command += ["--object", name]
        if role == "BODY":
            command += ["--embed", "%s=meshes/%s.ply" % (name, name)]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", **program.quiet())
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or "percale export ended with code %d" % done.returncode)
