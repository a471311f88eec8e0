import { HostError } from '../host/host-error.js';
import { shapesOf } from '../host/shapes.js';

/** Characters of the parameters that the page is asked for with. */
const LONGEST = 8000;

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
    location.replace(`${location.pathname}?${parametersOf(url, shapes)}`);
  } catch (error) {
    say(`It could not be read: ${error instanceof HostError ? error.message : String(error)}.`);
  }
}

/** The first shapes are the telling ones; the node answers to addresses of a bounded length only. */
function parametersOf(url: string, shapes: readonly string[]): URLSearchParams {
  const parameters = new URLSearchParams({ url });
  for (const shape of shapes) {
    if (String(parameters).length + encodeURIComponent(shape).length < LONGEST)
      parameters.append('shapes', shape);
  }
  return parameters;
}

function say(text: string): void {
  if (!progress) return;
  progress.textContent = text;
  progress.className = 'alert';
}
