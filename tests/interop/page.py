"""Reports and `percale view` in headless Chromium: python page.py PERCALE [FOLDER FOR SCREENSHOTS]. Needs playwright, Pillow
and NumPy, and a Chromium of the system (CHROMIUM names one); without one nothing is tested, which is told."""

import http.client
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
from PIL import Image

NAME = "<img src=x onerror=document.title='hit'>"
BACK = (32, 200, 64)
SCENE = """
[scene]
name = "fall"
[time]
fps = 30
frames = 16
step = "8 ms"
[[cloth]]
name = "sheet"
mesh = "%s/sheet_1m_25.ply"
colour = "#a8322a"
transform = { translate = [0.1, 0.62, 0], rotate = { axis = [1, 0, 0], angle = "20 deg" } }
[[obstacle]]
name = "ball"
sphere = { center = [0, 0.3, 0], radius = 0.25 }
colour = "#5a6a9a"
[[obstacle]]
name = "plate"
box = { center = [0, 0, 0], size = [0.9, 0.08, 0.9] }
[output]
fields = ["strain", "speed"]
[preview]
width = 640
height = 360
ground = false
background = "#20c840"
"""
# Wind blows a sheet away, which the camera follows.
AWAY = """
[scene]
name = "away"
up = "z"
[time]
fps = 30
frames = 12
step = "10 ms"
[[cloth]]
name = "kite"
mesh = "%s/sheet_1m_25.ply"
transform = { rotate = { axis = [1, 0, 0], angle = "60 deg" } }
air_drag = 5
[wind]
velocity = [6, 0, 8]
[preview]
width = 480
height = 480
ground = false
background = "#20c840"
"""


def covered(image, size=None):
    """Pixels that differ from the background."""
    if size and image.size != size:
        image = image.resize(size, Image.BILINEAR)
    pixels = np.asarray(image.convert("RGB"), int)
    return np.abs(pixels - BACK).max(axis=2) > 40


def overlap(a, b):
    return (a & b).sum() / (a | b).sum()


class Page:
    """A page, with all that it asked for and complained of."""

    def __init__(self, browser, address, size=(1100, 900), dark=False):
        scheme = "dark" if dark else "light"
        viewport = {"width": size[0], "height": size[1]}
        self.context = browser.new_context(viewport=viewport, color_scheme=scheme)
        self.page = self.context.new_page()
        self.faults, self.asked = [], []
        self.page.on("console", lambda m: self.faults.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address)
        self.page.wait_for_selector("#viewer.ready", timeout=60000)
        self.page.wait_for_selector("#viewer canvas[data-frame]", timeout=60000)

    def shown(self):
        return int(self.page.get_attribute("#viewer canvas", "data-frame"))

    def wait(self, script):
        """Waits until a condition holds. The page's policy forbids that it asks itself."""
        until = time.monotonic() + 60
        while not self.page.evaluate(script):
            assert time.monotonic() < until, script
            self.page.wait_for_timeout(50)

    def go(self, place):
        """Moves the slider, and returns the frame that is then shown."""
        slide = "x => { const s = document.querySelector('#viewer .bar input'); s.value = x; s.dispatchEvent(new Event('input')); }"
        wanted = "document.querySelector('#viewer .bar output').textContent"
        self.page.evaluate(slide, place)
        self.wait("%s.startsWith('frame ' + document.querySelector('#viewer canvas').dataset.frame + ',')" % wanted)
        self.page.wait_for_timeout(300)
        return self.shown()

    def picture(self):
        self.page.wait_for_timeout(200)
        return Image.open(io.BytesIO(self.page.locator("#viewer canvas").screenshot()))

    def check(self, title, inside):
        """No complaint, nothing but `inside` was asked for, and the page is as wide as the screen."""
        # Drivers of software rendering tell their own story.
        faults = [fault for fault in self.faults if "GPU stall" not in fault and "GL Driver" not in fault]
        assert not faults, (title, faults)
        strange = [url[:100] for url in self.asked if not re.match(inside, url)]
        assert not strange, (title, strange)
        wide = self.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert wide[0] <= wide[1], (title, wide)

    def close(self):
        self.context.close()


LOCAL = "(file|blob|data):"


def pictures(page, run, places):
    """The least overlap of frames with their pictures."""
    worst = 1.0
    for place in places:
        frame = page.go(place)
        preview = Image.open(os.path.join(run, "preview/frame.%04d.png" % frame))
        seen = page.picture()
        worst = min(worst, overlap(covered(preview, seen.size), covered(seen)))
    return worst


def report(browser, run, other, shots):
    address = "file://" + os.path.join(run, "report.html").replace("<", "%3C").replace(">", "%3E")
    page = Page(browser, address)
    assert page.page.title() == os.path.basename(run), page.page.title()
    assert page.page.locator("#verdict .verdict.good").inner_text() == "16 of 16 frames: nothing crosses"
    assert page.shown() == 16, page.shown()
    worst = pictures(page, run, [0, 4, 8, 12, 15])
    assert worst >= 0.95, "overlap %.4f" % worst
    first, last = (page.go(0), covered(page.picture()))[1], (page.go(15), covered(page.picture()))[1]
    assert overlap(first, last) < 0.8, "the slider moves nothing"

    own = np.asarray(page.picture().convert("RGB"), int)
    assert page.page.locator("#viewer .legend").is_hidden()
    differ = []
    for field in ("strain", "speed"):
        page.page.select_option("#viewer .field", field)
        page.wait("document.querySelector('#viewer canvas').dataset.field == '%s'" % field)
        painted = np.asarray(page.picture().convert("RGB"), int)
        differ.append((np.abs(painted - own).max(axis=2) > 30).mean())
        own = painted
        assert field in page.page.locator("#viewer .legend").inner_text()
    assert min(differ) > 0.01, differ
    page.page.select_option("#viewer .field", "")

    whole = covered(page.picture()).sum()
    page.page.locator("#viewer .objects label", has_text="plate").click()
    page.page.wait_for_timeout(500)
    assert covered(page.picture()).sum() < 0.97 * whole, "the plate is not off"
    page.page.locator("#viewer .objects label", has_text="plate").click()
    page.page.wait_for_timeout(500)
    calm = np.asarray(page.picture().convert("RGB"), int)
    page.page.get_by_label("wireframe").click()
    page.page.wait_for_timeout(500)
    assert (np.abs(np.asarray(page.picture().convert("RGB"), int) - calm).max(axis=2) > 20).mean() > 0.01
    page.page.get_by_label("wireframe").click()

    # A plot leads to a frame, and its cursor stands there.
    box = page.page.locator("svg.plot[data-axis=frame]").first
    box.scroll_into_view_if_needed()
    size = box.bounding_box()
    page.page.mouse.click(size["x"] + size["width"] * (62 + 0.5 * 488) / 560, size["y"] + size["height"] / 2)
    page.wait("Math.abs(document.querySelector('#viewer canvas').dataset.frame - 8.5) < 1")
    at = float(page.page.locator("svg.plot[data-axis=frame] .cursor").first.get_attribute("x1"))
    assert abs(at - (62 + 488 * (page.shown() - 1) / 15)) < 1, at

    # Orbiting changes the view, the camera of the pictures comes back.
    before = covered(page.picture())
    canvas = page.page.locator("#viewer canvas").bounding_box()
    page.page.mouse.move(canvas["x"] + 200, canvas["y"] + 200)
    page.page.mouse.down()
    page.page.mouse.move(canvas["x"] + 420, canvas["y"] + 240, steps=5)
    page.page.mouse.up()
    assert overlap(before, covered(page.picture())) < 0.95, "no orbit"
    page.page.get_by_text("camera of the pictures").click()
    page.page.wait_for_timeout(300)
    assert overlap(before, covered(page.picture())) > 0.99, "the camera did not come back"

    page.page.get_by_label("play", exact=True).click()
    page.wait("document.querySelector('#viewer canvas').dataset.frame == '16'")

    page.page.set_input_files("#viewer input[type=file]", other)
    page.wait("document.querySelectorAll('#viewer .labels > div').length == 2")
    page.page.wait_for_timeout(500)
    if shots:
        page.page.screenshot(path=os.path.join(shots, "compare.png"))
    page.page.locator("#viewer .labels button").click()
    page.wait("document.querySelectorAll('#viewer .labels > div').length == 0")
    assert page.page.title() == os.path.basename(run), "a name acted"
    page.check("report", LOCAL)
    page.close()
    for name, size, dark in (("desktop", (1280, 1000), False), ("dark", (1280, 1000), True), ("narrow", (390, 844), False)):
        page = Page(browser, address + "#field=strain", size, dark)
        page.page.wait_for_timeout(500)
        if shots:
            page.page.screenshot(path=os.path.join(shots, name + ".png"))
            page.page.screenshot(path=os.path.join(shots, name + "-whole.png"), full_page=True)
        page.check(name, LOCAL)
        page.close()
    return worst


def asked(port, path, host, method="GET"):
    """Status of an answer to a path as it is written, with a Host of one's own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    if host:
        connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, answer.read()


def served(percale, *arguments):
    program = subprocess.Popen([percale, "view", *arguments], stdout=subprocess.PIPE, text=True)
    address = program.stdout.readline().strip()
    return program, address, int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/", address)[1])


def view(browser, percale, run, scene, work, shots):
    program, address, port = served(percale, run)
    try:
        page = Page(browser, address)
        worst = pictures(page, run, [0, 7, 15])
        assert worst >= 0.95, "view: overlap %.4f" % worst
        page.check("view", "(blob:)?" + re.escape(address))
        page.close()
        own = "127.0.0.1:%d" % port
        assert asked(port, "/runs/0/frame/3", own)[0] == 200
        for path in ("/../run.json", "/run.json", "/runs/0/../../run.json", "/runs/0/frame/../run.json", "/%2e%2e/run.json",
                     "//etc/passwd", "/runs/1/film", "/runs/0/frame/17", "/runs/-1/film", "/meshes/sheet/sheet.0001.ply"):
            assert asked(port, path, own)[0] == 404, path
        for host in ("example.org", "example.org:%d" % port, "127.0.0.1:1"):
            status, body = asked(port, "/", host)
            assert status == 403 and b"percale" not in body, host
        assert asked(port, "/", None)[0] in (400, 403)
        assert asked(port, "/", own, "POST")[0] == 405
    finally:
        program.terminate()
        program.wait()

    # New frames come while the run goes on.
    live = os.path.join(work, "live")
    text = ["run", scene, "--out", live, "--progress", "none", "--frames", "400", "--set", "preview.quality=\"draft\""]
    run = subprocess.Popen([percale, *text], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists(os.path.join(live, "meshes/sheet/sheet.0002.ply")):
            assert run.poll() is None
        program, address, port = served(percale, "--live", live)
        try:
            page = Page(browser, address)
            begun = page.shown()
            page.wait("document.querySelector('#viewer canvas').dataset.frame > %d" % (begun + 2))
            page.wait("parseInt(document.querySelector('#verdict .verdict').textContent) > %d" % begun)
            assert "so far" in page.page.locator("#verdict").inner_text()
            if shots:
                page.page.screenshot(path=os.path.join(shots, "live.png"))
            page.check("live", "(blob:)?" + re.escape(address))
            page.close()
        finally:
            program.terminate()
            program.wait()
    finally:
        run.terminate()
        run.wait()
    return worst


def main(percale, shots=None):
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        print("interop: no Chromium is installed; reports are not opened")
        return
    from playwright.sync_api import sync_playwright

    percale = os.path.abspath(percale)
    meshes = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../meshes"))
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        runs = {}
        for name, text in ((NAME, SCENE), ("other", SCENE), ("away", AWAY)):
            scene = os.path.join(work, "scene.toml")
            with open(scene, "w") as file:
                file.write(text % meshes)
            runs[name] = os.path.join(work, name)
            more = ["--set", "cloth.sheet.air_drag=3"] if name == "other" else []
            subprocess.run([percale, "run", scene, "--out", runs[name], "--progress", "none", *more], check=True)
        with open(scene, "w") as file:
            file.write(SCENE % meshes)
        flags = ["--no-sandbox", "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader"]
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        told = report(browser, runs[NAME], os.path.join(runs["other"], "report.html"), shots)
        page = Page(browser, "file://" + os.path.join(runs["away"], "report.html"))
        followed = pictures(page, runs["away"], [0, 6, 11])
        assert followed >= 0.95, "overlap where the camera follows: %.4f" % followed
        page.check("away", LOCAL)
        page.close()
        seen = view(browser, percale, runs[NAME], scene, work, shots)
        browser.close()
    print("interop: reports in Chromium: overlap %.4f, followed %.4f, served %.4f" % (told, followed, seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
