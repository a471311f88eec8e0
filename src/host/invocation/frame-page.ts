import { hearDefinitions, oneAtATime } from '../definitions.js';
import { HostError, needed } from '../host-error.js';
import { moduleLoad } from '../load-component.js';
import { createElement, inOne, watchEdits } from './element.js';
import { claimElements } from './element-names.js';
import { fragmentElement } from './fragment.js';
import type { FrameNews, FrameTask } from './frame.js';
import { PATIENCE, showsSomething } from './visible.js';

/** The script of the frame: shows what the page sends, and tells the page what becomes of it. */
addEventListener(
  'message',
  ({ data, ports: [port] }: MessageEvent<FrameTask>) => port && void run(data, port),
  {
    once: true,
  },
);

async function run(task: FrameTask, port: MessagePort): Promise<void> {
  const tell = (news: FrameNews) => port.postMessage(news);
  const fail = (error: unknown) => {
    const { reason = 'module', message = String(error) } = error as Partial<HostError>;
    tell({ failed: { reason, message } });
  };
  try {
    const { element, watch } = await make(task);
    watch(tell, fail);
    document.body.append(element);
    new ResizeObserver(() => tell({ height: document.documentElement.offsetHeight })).observe(
      document.documentElement,
    );
    tell({ shows: await showsSomething(element, PATIENCE) });
  } catch (error) {
    fail(error);
  }
}

type Tell = (news: FrameNews) => void;

interface Made {
  readonly element: HTMLElement;
  readonly watch: (tell: Tell, fail: (error: unknown) => void) => void;
}

async function make(task: FrameTask): Promise<Made> {
  if ('entry' in task) {
    const { componentInFrame } = await needed(import('./component-in-frame.js'), 'serves components');
    return { element: await componentInFrame(task), watch: () => undefined };
  }
  const { claim } = task;
  if (!(await claimElements(claim, { HostError, hearDefinitions, moduleLoad, oneAtATime }))) {
    throw new HostError('module', `two of its modules define the same of ${claim.elements.join(', ')}`);
  }
  if (!('plans' in task)) {
    return { element: await fragmentElement(task.fragment, task.open), watch: () => undefined };
  }
  const made = task.plans.map((plan) => ({ plan, element: createElement(plan) }));
  return {
    element: inOne(
      made.map(({ element }) => element),
      task.total,
    ),
    watch: (tell, fail) => {
      for (const { plan, element } of made)
        if (plan.write) watchEdits(element, plan.write, (edit) => tell({ edit }), fail);
    },
  };
}
