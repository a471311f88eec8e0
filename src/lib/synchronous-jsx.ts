import { jsx } from 'hono/jsx/jsx-runtime';

/**
 * To be imported before any view: has hono/jsx render without `AsyncLocalStorage`, which only asynchronous views need. Once that is
 * in use, Node 20 keeps track of every promise and socket of the process, which is a tenth of the time of a short answer.
 * hono/jsx looks for it once, when it renders for the first time.
 */
const { getBuiltinModule } = process;
Reflect.set(process, 'getBuiltinModule', undefined);
String(jsx('i', {}));
Reflect.set(process, 'getBuiltinModule', getBuiltinModule);
