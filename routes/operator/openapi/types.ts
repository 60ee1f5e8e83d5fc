import type { Schema } from "../../../model/values/json_schema.ts";

type ByName<T> = Readonly<Record<string, T>>;

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
  readonly paths: ByName<PathItem>;
  readonly webhooks: ByName<WebhookItem>;
  /** What a {@linkcode Reference} leads to. */
  readonly components: {
    readonly schemas: ByName<Schema>;
    readonly responses: ByName<ResponseObject>;
    readonly headers: ByName<HeaderObject>;
    readonly parameters: ByName<ParameterObject>;
    readonly examples: ByName<ExampleObject>;
    readonly securitySchemes: ByName<ByName<string>>;
  };
}

/** The operations of a path by method. */
export type PathItem = ByName<OperationObject>;
/** Content by media type. */
export type Content = ByName<MediaType>;
/** Stands for what is among the components. */
export type Reference = { readonly $ref: string };
/** What stands in every answer, or may be answered on every path, is marked. */
export type Marked = { readonly "x-everywhere"?: true };
/** A response header, described. */
export type HeaderObject = Marked & { readonly description: string; readonly schema: Schema };
/** An example of content. */
export type ExampleObject = Marked & { readonly summary: string; readonly value: unknown };
/** The body of a request, described. */
export type RequestBody = { readonly required: boolean; readonly content: Content };

/** An operation, described. */
export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly ByName<readonly string[]>[];
  /** The scope that the key must hold, or `any`; absent where no key is needed. */
  readonly "x-scope"?: string;
  readonly parameters: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: ByName<ResponseObject | Reference>;
}

/** A parameter, described. */
export interface ParameterObject {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** Content in one media type, described. */
export interface MediaType {
  readonly schema: Schema;
  /** What the lines of NDJSON are, as OpenAPI 3.2 will say by `itemSchema`. */
  readonly "x-item-schema"?: Schema;
  /** The most bytes in a body; absent: any number. */
  readonly "x-max-bytes"?: number | undefined;
  readonly example?: unknown;
  readonly examples?: ByName<Reference>;
}

/** A response, described. */
export interface ResponseObject {
  readonly description: string;
  readonly headers: ByName<Reference>;
  readonly content?: Content;
}

/** The messages of a type that are sent to webhooks. */
export interface WebhookItem {
  readonly post: OperationObject & { readonly requestBody: RequestBody };
}
