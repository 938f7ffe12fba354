import type { LogFile, LogFiles } from './files.ts';
import { segmentName } from './segment.ts';

/** Segments that are read from stay open, so that neighbours do not cost an opening each. */
const MAX_OPEN_FILES = 16;

/** The files of segments, by their number, of which some are held open. */
export class OpenFiles {
  private readonly files: LogFiles;
  private readonly handles = new Map<number, LogFile>();
  /** The segment that is written to: it stays open. */
  kept: number | undefined;

  constructor(files: LogFiles) {
    this.files = files;
  }

  /** Opens it where it is not; the file is made where there is none. */
  get(number: number): LogFile {
    const held = this.handles.get(number);
    if (held) return held;
    for (const other of this.handles.keys()) {
      if (this.handles.size < MAX_OPEN_FILES) break;
      if (other !== this.kept) this.close(other);
    }
    const file = this.files.open(segmentName(number));
    this.handles.set(number, file);
    return file;
  }

  close(number: number): void {
    this.handles.get(number)?.close();
    this.handles.delete(number);
  }

  closeAll(): void {
    for (const file of this.handles.values()) file.close();
    this.handles.clear();
  }
}
