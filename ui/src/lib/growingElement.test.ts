import { expect, it } from 'vitest';
import { growingElement } from './growingElement';

it('names the last element that was opened, with its first class', () => {
  expect(growingElement('<main><article data-fx="9" class="card wide">\n<p>Pour')).toBe('p');
  expect(growingElement('<main><article data-fx="9" class="card wide">\n')).toBe('article.card');
});

it('does not name half a tag', () => {
  expect(growingElement('<main><article cla')).toBe('main');
});

it('names nothing while only the head is written', () => {
  expect(growingElement('<!doctype html><html><head><meta charset="utf-8"><style>')).toBeUndefined();
});
