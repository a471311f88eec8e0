import { addCopyButtons } from './copy.js';
import { searchAsTyped } from './live-search.js';
import { followStatus } from './live-status.js';
import { tellTime } from './relative-time.js';

// Every page works without this; each of these looks whether there is something for it to do.
tellTime(document);
addCopyButtons(document);
searchAsTyped();
followStatus();
