// Loaded before the pod server (`node --require`). It has no option for a host and would listen on every address: here it
// listens on loopback only, and tells its parent when it does. And it tells whoever asks for `/.taken?<path>` what it was
// asked for below that path since the last time.
const http = require('node:http');
const net = require('node:net');

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function listenOnLoopback(port) {
  this.once('listening', () => process.send?.('listening'));
  return listen.call(this, port, '127.0.0.1');
};

let exchanges = [];

function take(prefix) {
  const [taken, left] = [[], []];
  for (const one of exchanges) (one.path.startsWith(prefix) ? taken : left).push(one);
  exchanges = left;
  return taken;
}

/** Notes an exchange once its answer has a status, and counts the bytes of the body. */
function note({ method, url: path, headers }, response) {
  const exchange = { method, path, authenticated: headers.authorization !== undefined, status: 0, bytes: 0 };
  const { writeHead, write, end } = response;
  response.writeHead = function (status, ...more) {
    if (exchange.status === 0) exchanges.push(Object.assign(exchange, { status }));
    return writeHead.call(this, status, ...more);
  };
  const counting = (send) =>
    function (chunk, ...more) {
      if (method !== 'HEAD' && chunk?.length) exchange.bytes += Buffer.byteLength(chunk);
      return send.call(this, chunk, ...more);
    };
  Object.assign(response, { write: counting(write), end: counting(end) });
}

const { emit } = http.Server.prototype;
http.Server.prototype.emit = function (event, ...parts) {
  if (event !== 'request') return emit.call(this, event, ...parts);
  const [request, response] = parts;
  const [path, prefix] = request.url.split('?');
  if (path === '/.taken') return response.end(JSON.stringify(take(prefix)));
  note(request, response);
  return emit.call(this, event, ...parts);
};

// A test run that is killed must not leave its server behind.
process.on('disconnect', () => process.exit());
