import { addCopyButtons } from './copy.js';
import { addIntegrityButtons } from './integrity.js';
import { followPage } from './live-page.js';
import { searchAsTyped } from './live-search.js';
import { tellTime } from './relative-time.js';
import { focusSearchBySlash } from './shortcuts.js';

// Every page works without scripts. Each of these functions does nothing on pages that lack its elements.
followPage();
tellTime(document);
addCopyButtons(document);
addIntegrityButtons(document);
searchAsTyped();
focusSearchBySlash();
