export {
  catalogOfPins,
  compilePinned,
  hasNoPins,
  NO_PINS,
  type PinnedVersion,
  pinnedVersion,
  type Pins,
  pinsOfJson,
  pinsToJson,
  refText,
} from "./pins.ts";
