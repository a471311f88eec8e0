import { HostError, needed } from './host-error.js';
import type { FrameNews } from './invocation/frame.js';
import { make, type Surroundings, type Task } from './invocation/make.js';
import { PATIENCE, showsSomething } from './invocation/visible.js';
import { publicData } from './solid-data.js';

/** The script of a frame: shows what the page sends, or else what its document names, and tells the page what becomes of it. */
addEventListener(
  'message',
  ({ data, ports: [port] }: MessageEvent<Task | undefined>) => port && void run(data, port),
  { once: true },
);

async function run(task: Task | undefined, port: MessagePort): Promise<void> {
  const tell = (news: FrameNews) => port.postMessage(news);
  const failed = (error: unknown) => {
    const { reason = 'module', message = String(error) } = error as Partial<HostError>;
    tell({ failed: { reason, message } });
  };
  tell({ alive: true });
  setInterval(() => tell({ alive: true }), 1000);
  try {
    // It has no origin and no credentials: what it can read is public.
    const edited: Surroundings['edited'] = (edit) => tell({ edit });
    const around = { handler: publicData, report: undefined, edited, failed };
    const element = task ? (await make(task, around))?.element : await showNamed();
    if (!element) throw new HostError('module', 'two of its modules define the same element');
    if (task) document.body.append(element);
    const { documentElement: page } = document;
    new ResizeObserver(() => tell({ height: page.offsetHeight })).observe(page);
    tell({ shows: await showsSomething(element, PATIENCE) });
  } catch (error) {
    failed(error);
  }
}

/** What the document of a node's own pages names. */
async function showNamed(): Promise<HTMLElement> {
  const { component = '', entry = '' } = document.body.dataset;
  const { showComponent } = await needed(import('./show-component.js'), 'shows components');
  const options = { into: document.body, handler: publicData };
  return (await showComponent(JSON.parse(component), entry, options)).element;
}
