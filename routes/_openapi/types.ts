import type { Schema } from "./schema.ts";

/** The part of OpenAPI 3.1 that the description uses. */
export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly contact: { readonly name: string };
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  /** What {@linkcode Reference}s lead to, by name. */
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly parameters: Readonly<Record<string, ParameterObject>>;
    readonly examples: Readonly<Record<string, ExampleObject>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}

/** The operations of a path, by method. */
export type PathItem = Readonly<Record<string, OperationObject>>;

/** Refers to a component. */
export interface Reference {
  readonly $ref: string;
}

/** One method of one path. */
export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** The scope that the key must hold; absent where no key is needed. */
  readonly "x-scope"?: string;
  readonly parameters: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

/** A parameter of the path, the query or the headers. */
export interface ParameterObject {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** Content by its media type. */
export type Content = Readonly<Record<string, MediaType>>;

/** The body of a request. */
export interface RequestBody {
  readonly required: boolean;
  readonly content: Content;
}

/** Content of one media type. */
export interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Reference>>;
}

/** A response. */
export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Content;
}

/** A header of a response. */
export interface HeaderObject {
  readonly description: string;
  readonly schema: Schema;
}

/** An example of content. */
export interface ExampleObject {
  readonly summary: string;
  readonly value: unknown;
}
