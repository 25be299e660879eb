-- Streams of events: those of a tenant in commit order (webhooks/stream.ts).
-- Making it reads the table once; other requests wait for that long, none is refused
-- (docs/operations.md).
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX events_stream ON events (account_id, mode, xid, id);
