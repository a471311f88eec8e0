import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bareEnv, exitOf } from './child.js';
import { cleanup } from './cleanup.js';
import { heldPort } from './held-port.js';
import { tempDir } from './temp-dir.js';
import { waitFor } from './wait-for.js';

const NGINX = '/usr/sbin/nginx';

/** A real nginx with the media types that Debian ships, which serves a folder. Gives its address, with a slash at the end. */
export async function serveByNginx(folder: string, locations = ''): Promise<string> {
  const directory = await tempDir();
  const isRoot = process.getuid?.() === 0;
  const port = await heldPort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory};`)
    .join(' ');
  await writeFile(
    join(directory, 'nginx.conf'),
    // Started as root, its workers would be somebody who may not read the folder.
    `daemon off; ${isRoot ? 'user root;' : ''} pid ${directory}/nginx.pid; error_log stderr; worker_processes 1;
events {}
http { ${temporary} access_log off; include /etc/nginx/mime.types; default_type application/octet-stream;
  server { listen 127.0.0.1:${port}; root ${folder}; ${locations} } }`,
  );
  const child = spawn(NGINX, ['-c', join(directory, 'nginx.conf'), '-p', directory, '-e', 'stderr'], {
    env: bareEnv(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = exitOf(child);
  cleanup(async () => {
    child.kill();
    await ended;
  });
  const url = `http://127.0.0.1:${port}/`;
  await waitFor(
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    { describe: 'nginx to listen' },
  );
  return url;
}
