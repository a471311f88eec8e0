import type { WireAnswer } from '../network/wire.js';
import { NO_BODY } from '../network/wire.js';
import { between, pick } from '../time/substream.js';
import { write } from '../world/changes.js';
import type { HappeningKind } from '../world/happening.js';
import type { SimulatedPod, World } from '../world/world.js';

const SECOND = 1000;

/** What goes wrong with pods and their servers, and with their authors. */
export const POD_FAULTS: readonly HappeningKind[] = [
  {
    name: 'pod-down',
    shows: 'the server of a pod is down',
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      return { what: `${pod.name} is down`, end: takeDown(world, pod) };
    },
  },
  {
    name: 'pod-slow',
    shows: 'a pod answers after half a minute or more',
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      const wait = between(random, 10 * SECOND, 60 * SECOND);
      const end = world.network.interpose(pod.name, async (request, server) => {
        await new Promise<void>((resolve) => world.time.after(wait, resolve));
        return server.answer(request);
      });
      return { what: `${pod.name} takes ${wait} ms for an answer`, end };
    },
  },
  {
    name: 'pod-emptied',
    shows: 'a pod says for a while that it holds nothing',
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      const end = world.network.interpose(pod.name, async (request, server) => {
        const url = request.origin + request.target;
        const answer = await server.answer(request);
        if (request.method !== 'GET' || !(answer.body instanceof Uint8Array)) return answer;
        return url === pod.url ? emptied(answer) : { ...answer, status: 404, body: NO_BODY };
      });
      const speaks = world.truth.silence(pod.url);
      const endAll = () => {
        end();
        speaks();
      };
      return { what: `${pod.name} says that it holds nothing`, end: endAll };
    },
  },
  {
    name: 'pod-flapping',
    shows: 'the server of a pod goes down and comes back, again and again',
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      let bringUp: (() => void) | undefined;
      let isOver = false;
      const flap = () => {
        if (isOver) return;
        if (bringUp) {
          bringUp();
          bringUp = undefined;
        } else bringUp = takeDown(world, pod);
        world.time.after(between(random, 5 * SECOND, 90 * SECOND), flap);
      };
      flap();
      const end = () => {
        isOver = true;
        bringUp?.();
      };
      return { what: `${pod.name} flaps`, end };
    },
  },
  {
    name: 'pod-away',
    shows: 'the server of a pod is gone for a minute in every ten',
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      let comeBack: (() => void) | undefined;
      let isOver = false;
      const turn = () => {
        if (isOver) return;
        comeBack?.();
        comeBack = comeBack ? undefined : takeDown(world, pod);
        world.time.after((comeBack ? 60 : 540) * SECOND, turn);
      };
      turn();
      const end = () => {
        isOver = true;
        comeBack?.();
      };
      return { what: `${pod.name} is gone for a minute in every ten`, end };
    },
  },
  {
    name: 'pod-throttling',
    shows: 'a pod answers most requests with 429',
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      const end = world.network.interpose(pod.name, async (request, server) => {
        if (random() < 0.2) return server.answer(request);
        return { status: 429, headers: { 'retry-after': '30' }, body: NO_BODY };
      });
      return { what: `${pod.name} asks for fewer requests`, end };
    },
  },
  {
    name: 'resolves-elsewhere',
    shows: 'the name of a pod leads to a private address, where somebody else answers 404',
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      const back = world.network.readdress(pod.name, '10.9.9.9');
      const leave = world.network.interpose(pod.name, async () => ({
        status: 404,
        headers: {},
        body: NO_BODY,
      }));
      const end = () => {
        back();
        leave();
      };
      return { what: `${pod.name} leads elsewhere`, end };
    },
  },
  {
    name: 'pod-truncating',
    shows: 'a pod cuts half of its bodies, or more',
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      const end = world.weather.trouble({ lost: 0, reset: 0, cut: 0.5 + random() / 2 }, pod.name);
      return { what: `${pod.name} cuts its bodies`, end };
    },
  },
  {
    name: 'recreate',
    shows: 'an author deletes documents and writes them again, the same or others',
    async begin(stage, random) {
      const pod = pick(random, stage.world.pods);
      if (pod.author.documents.length === 0) return { what: `${pod.name} is empty` };
      const document = pick(random, pod.author.documents);
      const uri = pod.author.uriOf(document);
      await pod.author.erase(document);
      stage.spread.changed(pod.url, document, undefined);
      const isSame = random() < 0.5;
      const end = async () => {
        await write(stage, pod, document, isSame ? uri : uri.replace(/(-again)?\.js$/, '-again.js'));
      };
      return { what: `${document} is deleted, and written again at the end`, end };
    },
  },
];

function takeDown({ network }: World, pod: SimulatedPod): () => void {
  network.detach(pod.name);
  pod.server.restart();
  return () => network.attach(pod.name, pod.server);
}

/** A listing without members. */
function emptied(answer: WireAnswer): WireAnswer {
  const body = Buffer.from(
    '<> a <http://www.w3.org/ns/ldp#Container>, <http://www.w3.org/ns/ldp#BasicContainer>.\n',
  );
  return { ...answer, body };
}
