export * from "../model/html.ts";
