import { HostError } from '../host/host-error.js';
import { shapesOf } from '../host/shapes.js';

/** On the page /data: reads the visitor's data here, in the browser, and asks for the page with the shapes it has. */
const place = document.getElementById('reading');
const progress = document.getElementById('progress');
if (place && progress) await read(place.dataset.url ?? '');

async function read(url: string): Promise<void> {
  if (progress) progress.hidden = false;
  try {
    const shapes = await shapesOf(url);
    if (shapes.length === 0)
      return say('It was read, and does not say what it is: it names no class and no shape.');
    const parameters = new URLSearchParams({ url });
    for (const shape of shapes) parameters.append('shapes', shape);
    location.replace(`${location.pathname}?${parameters}`);
  } catch (error) {
    say(`It could not be read: ${error instanceof HostError ? error.message : String(error)}.`);
  }
}

function say(text: string): void {
  if (!progress) return;
  progress.textContent = text;
  progress.className = 'alert';
}
