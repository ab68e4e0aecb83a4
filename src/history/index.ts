export { ArchivePlaces } from "./archive-place.ts";
export { PacketTooLarge } from "./archiver.ts";
export { SubjectRefused } from "./erasure-subject.ts";
export { type History, openHistory } from "./open-history.ts";
export { PacketRefused, verifyPacket } from "./packet-reader.ts";
export { Retainer } from "./retainer.ts";
