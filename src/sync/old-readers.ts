import type { Batch, DocumentReading } from '../core/reading.js';
import type { SourceReader } from './source-reader.js';
import type { SyncSource } from './sync-source.js';

/** Reads what still polls the old way, as one batch. It goes as soon as nothing does. */
export function readOldWay(old: SyncSource): SourceReader {
  const { source, trust } = old;
  return {
    source,
    trust,
    ...(old.stream ? { stream: (document?: string) => old.stream?.(document) as never } : {}),
    async *read(stored, { most, room }, signal): AsyncGenerator<Batch> {
      const put: DocumentReading[] = [];
      const gone: string[] = [];
      const full = room.components < 1 || room.bytes < Math.max(most.bytes / 16, 4_096);
      const note = (documents: Awaited<ReturnType<SyncSource['poll']>>['documents']) => {
        for (const { record, ...document } of documents) {
          if (record) put.push({ ...document, record } as DocumentReading);
          else gone.push(document.url);
        }
      };
      const result = await old.poll(stored, {
        ...{ signal, limit: most, room, full },
        beforeParsing: async () => undefined,
        store: async (documents) => note(documents),
      });
      note(result.documents);
      const { memo, introduced, following } = result.remember?.(stored?.record ?? { failures: 0 }) ?? {};
      yield {
        ...{ put, gone, isLast: true, complete: !result.failure || gone.length > 0 },
        ...(result.failure ? { failure: result.failure } : {}),
        ...(result.remember ? { memo: { memo, introduced, following } as NonNullable<Batch['memo']> } : {}),
        ...(result.expected ? { digests: result.expected } : {}),
        unread: result.unread ?? 0,
      };
    },
  };
}
