import { HostError } from '../host-error.js';
import { publicData } from '../solid-data.js';
import type { FrameNews } from './frame.js';
import { make, type Task } from './make.js';
import { PATIENCE, showsSomething } from './visible.js';

/** The script of the frame: shows what the page sends, and tells the page what becomes of it. */
addEventListener('message', ({ data, ports: [port] }: MessageEvent<Task>) => port && void run(data, port), {
  once: true,
});

async function run(task: Task, port: MessagePort): Promise<void> {
  const tell = (news: FrameNews) => port.postMessage(news);
  const failed = (error: unknown) => {
    const { reason = 'module', message = String(error) } = error as Partial<HostError>;
    tell({ failed: { reason, message } });
  };
  try {
    // It has no origin and no credentials: what it can read is public.
    const made = await make(task, {
      handler: publicData,
      report: undefined,
      edited: (edit) => tell({ edit }),
      failed,
    });
    if (!made) throw new HostError('module', 'two of its modules define the same element');
    document.body.append(made.element);
    const { documentElement: page } = document;
    new ResizeObserver(() => tell({ height: page.offsetHeight })).observe(page);
    tell({ shows: await showsSomething(made.element, PATIENCE) });
  } catch (error) {
    failed(error);
  }
}
