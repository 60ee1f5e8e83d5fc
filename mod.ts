export { openMemoryStorage } from "./adapters/memory.ts";
