import { placesOf } from './tidy.ts';
import type { ToPlace } from './tidy.ts';

/** Places a whole graph anew, away from the thread that draws. */
onmessage = ({ data }: MessageEvent<ToPlace>) => postMessage(placesOf(data));
