// Loaded before the pod server (`node --require`), which has no option for a host and would listen on every
// address: here it listens on loopback only, on a port that the system picks, and tells its parent which.
const net = require('node:net');

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function listenOnLoopback() {
  this.once('listening', () => process.send?.({ port: this.address().port }));
  return listen.call(this, 0, '127.0.0.1');
};

// A test run that is killed must not leave its server behind.
process.on('disconnect', () => process.exit());
