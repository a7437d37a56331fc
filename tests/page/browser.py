# browser.py - a headless Chromium driven through a pipe: DevTools messages as JSON with a zero byte between them.
# SPDX-License-Identifier: MIT
import json
import os
import select
import subprocess
import time


class Browser:
    def __init__(self, folder):
        self.seen, self.next, self.rest = [], 0, b""
        to_read, self.write = os.pipe()
        self.read, to_write = os.pipe()

        def hand_over():  # Chromium reads from 3 and writes to 4
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
             "--disable-dev-shm-usage", "--disable-background-networking", "--user-data-dir=" + os.path.join(folder, "profile"),
             "--remote-debugging-pipe", "--window-size=1280,900", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=hand_over,
            close_fds=False)
        os.close(to_read)
        os.close(to_write)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")
        self.downloads = os.path.join(folder, "downloads")
        os.mkdir(self.downloads)
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.downloads)

    def receive(self, seconds):
        """The next message, or None when none comes in time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.read], [], [], left)[0]:
                return None
            more = os.read(self.read, 1 << 16)
            if not more:
                raise RuntimeError("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.next += 1
        message = {"id": self.next, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        while True:
            answer = self.receive(60)
            if answer is None:
                raise RuntimeError(method + ": no answer")
            if answer.get("id") == self.next:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.seen.append(answer)

    def wait_for(self, event, seconds=60):
        for i, message in enumerate(self.seen):
            if message.get("method") == event:
                return self.seen.pop(i)
        end = time.monotonic() + seconds
        while True:
            message = self.receive(max(0, end - time.monotonic()))
            if message is None:
                raise RuntimeError("no " + event)
            if message.get("method") == event:
                return message
            self.seen.append(message)

    def open(self, path):
        self.seen = [m for m in self.seen if m.get("method") != "Page.loadEventFired"]
        self.call("Page.navigate", url="file://" + path)
        self.wait_for("Page.loadEventFired")

    def js(self, code):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return answer["result"].get("value")

    def key(self, name, code):
        text = {"Enter": "\r"}.get(name)
        down = {"type": "keyDown" if text else "rawKeyDown", "key": name, "code": name, "windowsVirtualKeyCode": code}
        if text:
            down["text"] = text
        self.call("Input.dispatchKeyEvent", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, code=name, windowsVirtualKeyCode=code)

    def scheme(self, value, media=""):
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": value}])

    def errors(self):
        """What the console was told as an error, and requests that left the page."""
        out = []
        for m in self.seen:
            p = m.get("params", {})
            if m.get("method") == "Runtime.exceptionThrown":
                out.append(p["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif m.get("method") == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                out.append(p["entry"]["text"])
            elif m.get("method") == "Network.requestWillBeSent" and not p["request"]["url"].startswith(("file:", "blob:")):
                out.append("a request to " + p["request"]["url"])
        return out

    def downloaded(self, seconds=20):
        """The one file that a click gave: its name and its bytes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            names = [n for n in os.listdir(self.downloads) if not n.endswith(".crdownload") and not n.startswith(".")]
            if names:
                path = os.path.join(self.downloads, names[0])
                with open(path, "rb") as f:
                    data = f.read()
                if data:
                    os.unlink(path)
                    return names[0], data
            time.sleep(0.05)
        raise RuntimeError("no file came")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except Exception:
            self.process.kill()
            self.process.wait()
