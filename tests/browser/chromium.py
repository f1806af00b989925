# SPDX-License-Identifier: Apache-2.0
"""Drives a headless Chromium over the DevTools protocol's pipe: no packages besides Python's own.

    with Browser() as browser:
        page = browser.open('file:///.../report.html')
        page.evaluate('document.title')
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome')


def find():
    """The browser's path, or None."""
    given = os.environ.get('WARPWRIGHT_CHROMIUM')
    for name in ([given] if given else NAMES):
        path = shutil.which(name)
        if path:
            return path
    return None


class ProtocolError(Exception):
    pass


class Browser:
    def __init__(self, *flags):
        self.folder = tempfile.mkdtemp(prefix='ww-chromium-')
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        arguments = [
            find(), '--headless=new', '--remote-debugging-pipe', '--no-first-run', '--disable-gpu',
            '--disable-extensions', '--disable-background-networking', '--disable-sync',
            '--disable-component-update', '--no-default-browser-check', '--hide-scrollbars',
            '--disable-dev-shm-usage', '--user-data-dir=' + self.folder, *flags]
        if os.geteuid() == 0:
            arguments.append('--no-sandbox')  # Chromium refuses to start as root otherwise

        def fds():  # the protocol wants to be read from 3 and written to 4
            os.dup2(to_browser, 63)
            os.dup2(from_browser, 64)
            os.dup2(63, 3)
            os.dup2(64, 4)

        self.process = subprocess.Popen(
            arguments + ['about:blank'], preexec_fn=fds, close_fds=False, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b''
        self._number = 0
        self.pages = {}
        self.version = self.call('Browser.getVersion')['product']

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _receive(self, limit):
        """One message, or None when none comes in time."""
        end = time.monotonic() + limit
        while b'\0' not in self._buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                return None
            piece = os.read(self._read, 1 << 20)
            if not piece:
                raise ProtocolError('the browser is gone')
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b'\0')
        return json.loads(message)

    def _dispatch(self, message):
        page = self.pages.get(message.get('sessionId'))
        if page and 'method' in message:
            page.events.append((message['method'], message['params']))

    def call(self, method, session=None, limit=60, **params):
        self._number += 1
        number = self._number
        request = {'id': number, 'method': method, 'params': params}
        if session:
            request['sessionId'] = session
        data = json.dumps(request).encode() + b'\0'
        while data:
            data = data[os.write(self._write, data):]
        end = time.monotonic() + limit
        while True:
            message = self._receive(max(0, end - time.monotonic()))
            if message is None:
                raise ProtocolError(f'{method}: no answer in {limit} s')
            if message.get('id') == number:
                if 'error' in message:
                    raise ProtocolError(f"{method}: {message['error']}")
                return message['result']
            self._dispatch(message)

    def pump(self, seconds):
        end = time.monotonic() + seconds
        while True:
            message = self._receive(max(0, end - time.monotonic()))
            if message is None:
                return
            self._dispatch(message)

    def open(self, url=None, width=1200, height=900, mobile=False, dark=False, wait=True):
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        page = Page(self, session, target)
        self.pages[session] = page
        for domain in ('Page', 'Runtime', 'Network', 'Log'):
            page.call(domain + '.enable')
        page.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=2 if mobile else 1, mobile=mobile)
        page.call('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        if url:
            page.go(url, wait)
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.events = []

    def call(self, method, **params):
        return self.browser.call(method, session=self.session, **params)

    def go(self, url, wait=True):
        self.call('Page.navigate', url=url)
        if wait:
            self.until("document.documentElement.dataset.ready !== undefined")

    def close(self):
        self.browser.call('Target.closeTarget', targetId=self.target)

    def evaluate(self, expression):
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True,
                           awaitPromise=True)
        if 'exceptionDetails' in answer:
            details = answer['exceptionDetails']
            raise ProtocolError(details.get('exception', {}).get('description', details['text']))
        return answer['result'].get('value')

    def until(self, expression, limit=20):
        """Waits for the expression to be true and returns its value."""
        end = time.monotonic() + limit
        while True:
            value = self.evaluate(f'(() => {{ try {{ const v = ({expression}); return v instanceof Node ? true : v; }} catch (e) {{ return false; }} }})()')
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f'not within {limit} s: {expression}')
            self.browser.pump(0.05)

    def key(self, name, code=0, text=''):
        for kind in ('keyDown', 'keyUp'):
            extra = {'text': text} if text and kind == 'keyDown' else {}
            self.call('Input.dispatchKeyEvent', type=kind, key=name, windowsVirtualKeyCode=code, **extra)

    def point(self, x, y, kind='mouseMoved', **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def click(self, selector):
        x, y = self.evaluate(f'''(() => {{
            const node = document.querySelector({json.dumps(selector)});
            node.scrollIntoView({{block: 'center', inline: 'center'}});
            const box = node.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()''')
        self.point(x, y)
        self.point(x, y, 'mousePressed', button='left', clickCount=1)
        self.point(x, y, 'mouseReleased', button='left', clickCount=1)

    def requests(self):
        self.browser.pump(0.05)
        return [p['request']['url'] for m, p in self.events if m == 'Network.requestWillBeSent']

    def complaints(self):
        """Console errors and warnings, uncaught exceptions, violations of the page's policy."""
        self.browser.pump(0.05)
        found = []
        for method, params in self.events:
            if method == 'Runtime.exceptionThrown':
                details = params['exceptionDetails']
                found.append(details.get('exception', {}).get('description', details['text']))
            elif method == 'Runtime.consoleAPICalled' and params['type'] in ('error', 'warning', 'assert'):
                found.append(str([a.get('value', a.get('description')) for a in params['args']]))
            elif method == 'Log.entryAdded' and params['entry']['level'] in ('error', 'warning'):
                found.append(params['entry']['text'])
        return found

    def screenshot(self, path, full=False, clip=None):
        options = {'format': 'png', 'captureBeyondViewport': full}
        if full:
            size = self.call('Page.getLayoutMetrics')['cssContentSize']
            options['clip'] = {'x': 0, 'y': 0, 'width': size['width'], 'height': size['height'], 'scale': 1}
        if clip:
            options['clip'] = dict(clip, scale=1)
            options['captureBeyondViewport'] = True
        with open(path, 'wb') as out:
            out.write(base64.b64decode(self.call('Page.captureScreenshot', **options)['data']))

    def pdf(self, path):
        with open(path, 'wb') as out:
            out.write(base64.b64decode(self.call('Page.printToPDF', printBackground=True)['data']))
