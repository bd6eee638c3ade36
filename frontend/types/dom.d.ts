// The elements that static/js/phone/app/dom.js makes, and the events that reach them.

/** A child of an element: what is absent leaves a comment in its place. */
type Child = Node | string | null | undefined | false;
type NestedChild = Child | readonly NestedChild[];

/** Called with the event of an element. A listener may ask for a narrower event than its element promises. */
type Listener = { listen(event: Event): unknown }["listen"];
type ClickHandler = Listener | null;

/** `onclick` and the like are listeners; true is an empty attribute; null, undefined and false are none. */
interface Attributes {
  [name: string]: string | number | boolean | null | undefined | Listener;
}

/** An event whose element is known. */
type EventOn<Target extends EventTarget> = Event & { readonly target: Target; readonly currentTarget: Target };

/** A field whose value is typed. */
type TextInput = HTMLInputElement | HTMLTextAreaElement;

/** The element of `h("p.muted")`. */
type ElementOf<Name extends string> = Name extends `${infer Tag}.${string}` ? TaggedElement<Tag> : TaggedElement<Name>;
type TaggedElement<Tag extends string> = Tag extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag] : HTMLElement;

/** A node with what only an element has. */
type MaybeElement = ChildNode & Partial<Pick<HTMLElement, "dataset" | "getAttributeNames">>;
