// A small stand-in for the program: serves the page, a recording and a live run, and keeps what the page sends.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { encodeFrame, encodeFrames, encodeSeries } from './encode.mjs';

const kToken = 'right';

/** damaged: whether the frame of this number cannot be read. */
export async function startServer(
  page,
  scene,
  { live = false, delayMs = 0, damaged = () => false } = {},
) {
  const log = { requests: [], commands: [], frames: 0 };
  const header = { ...scene.header, live, frame_count: live ? 0 : scene.frames.length };
  const series = encodeSeries(scene.frames);
  const answer = (path) => {
    if (path === '/') return ['text/html', page];
    if (path === '/data/header') return ['application/json', JSON.stringify(header)];
    if (path === '/data/series') return ['application/octet-stream', series];
    const range = /^\/data\/frames\/(\d+)\/(\d+)$/.exec(path);
    if (!range) return undefined;
    const [from, to] = [Number(range[1]), Number(range[2])];
    log.frames += to - from;
    return ['application/octet-stream', encodeFrames(scene.frames.slice(from, to), from, damaged)];
  };
  const http = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    log.requests.push(url.pathname);
    if (url.pathname !== '/' && url.searchParams.get('token') !== kToken) {
      response.writeHead(403).end('wrong token');
      return;
    }
    const found = answer(url.pathname);
    if (!found) {
      response.writeHead(404).end('no such thing');
      return;
    }
    setTimeout(() => response.writeHead(200, { 'Content-Type': found[0] }).end(found[1]), delayMs);
  });
  const sockets = new WebSocketServer({ noServer: true });
  http.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url, 'http://localhost');
    if (!live || url.pathname !== '/live' || url.searchParams.get('token') !== kToken) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => runLive(ws, scene, header, log));
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address();
  return {
    log,
    port,
    address: (token = kToken) => `http://127.0.0.1:${port}/?token=${token}`,
    drop: () => sockets.clients.forEach((ws) => ws.terminate()),
    close: () =>
      new Promise((resolve) => {
        sockets.clients.forEach((ws) => ws.terminate());
        http.closeAllConnections();
        http.close(resolve);
      }),
  };
}

function runLive(ws, scene, header, log) {
  let at = 0;
  let running = true;
  const tell = (message = '') =>
    ws.send(
      JSON.stringify({
        type: 'state',
        running,
        time: scene.frames[Math.max(0, at - 1)].row.time,
        message,
      }),
    );
  const step = () => {
    if (at < scene.frames.length && ws.readyState === ws.OPEN) {
      ws.send(encodeFrame(scene.frames[at], at));
      ++at;
    }
  };
  ws.send(JSON.stringify({ type: 'header', header }));
  step();
  tell();
  const timer = setInterval(() => {
    if (running) step();
  }, 80);
  ws.on('close', () => clearInterval(timer));
  ws.on('message', (text) => {
    const command = JSON.parse(text);
    log.commands.push(command);
    if (command.type === 'pause') running = false;
    if (command.type === 'resume') running = true;
    if (command.type === 'step') step();
    if (command.type === 'restart') at = 0;
    tell();
  });
}
