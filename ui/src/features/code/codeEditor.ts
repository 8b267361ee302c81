import { css } from '@codemirror/lang-css';
import { html } from '@codemirror/lang-html';
import { javascript } from '@codemirror/lang-javascript';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { isPage } from '../../lib/pages';

const LOOK = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-scroller': { boxShadow: 'inset 0 0 0 2px var(--copy)' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', fontSize: 'var(--text-code)', lineHeight: 'var(--line-code)', letterSpacing: '0' },
  '.cm-content': { padding: 'var(--space-2) 0' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-3)', border: '0', paddingLeft: 'var(--space-2)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '36px', padding: '0 var(--space-3) 0 0' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: 'var(--copy-wash)' },
  '.cm-panels': { backgroundColor: 'var(--ground)', color: 'var(--ink)', borderColor: 'var(--rule)', fontFamily: 'var(--font-ui)' },
  '.cm-searchMatch': { backgroundColor: 'var(--source-wash)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--copy-wash)', outline: '1px solid var(--copy)' },
});

const INK = HighlightStyle.define([
  { tag: [tags.tagName, tags.typeName, tags.className], color: 'var(--code-tag)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'var(--code-attr)' },
  { tag: [tags.string, tags.attributeValue, tags.number, tags.color, tags.unit], color: 'var(--code-str)' },
  { tag: [tags.keyword, tags.modifier, tags.atom, tags.bool], color: 'var(--code-key)' },
  { tag: [tags.comment, tags.meta, tags.documentMeta], color: 'var(--code-note)' },
]);

function languageOf(path: string): Extension {
  if (isPage(path)) return html();
  if (/\.css$/i.test(path)) return css();
  if (/\.[cm]?[jt]sx?$/i.test(path)) return javascript({ jsx: true, typescript: /\.[cm]?tsx?$/i.test(path) });
  return [];
}

/** A file shown as code. It follows the newest line until the reader scrolls up. */
export interface CodeEditor {
  show(path: string, text: string, label: string): void;
  close(): void;
}

const NEAR_END_PX = 32;

/** Puts an editor for reading into `parent`. */
export function openEditor(parent: HTMLElement): CodeEditor {
  const view = new EditorView({ parent });
  let shown = '';
  return {
    show(path, text, label) {
      if (path !== shown) {
        shown = path;
        view.setState(stateOf(path, text, label));
        return;
      }
      const { doc } = view.state;
      const length = doc.length;
      if (text.length === length && doc.toString() === text) return;
      const scroller = view.scrollDOM;
      const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END_PX;
      // A page that is being written only grows; anything else is a new text.
      const grows = text.length > length && text.startsWith(doc.sliceString(Math.max(0, length - 64)), Math.max(0, length - 64));
      view.dispatch({ changes: grows ? { from: length, insert: text.slice(length) } : { from: 0, to: length, insert: text } });
      if (isAtEnd && grows) scroller.scrollTop = scroller.scrollHeight;
    },
    close: () => view.destroy(),
  };
}

const stateOf = (path: string, text: string, label: string) =>
  EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      drawSelection(),
      highlightSelectionMatches(),
      search({ top: true }),
      keymap.of(searchKeymap),
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
      languageOf(path),
      syntaxHighlighting(INK),
      LOOK,
    ],
  });
