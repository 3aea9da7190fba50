import { expect, test } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

test('counts insertions, deletions, replacements and swaps, not letter case', () => {
  const pairs = [
    ['', 'abc'],
    ['model', 'model'],
    ['Model', 'mODEL'],
    ['modle', 'model'],
    ['modl', 'model'],
    ['kitten', 'sitting'],
  ];
  expect(pairs.map(([a, b]) => editDistance(a!, b!))).toEqual([3, 0, 0, 1, 1, 3]);
});

test('names what was probably meant, and nothing when nothing is like it', () => {
  const keys = ['lang', 'model', 'provider', 'permissions', 'ls'];
  expect(['modle', 'permisions', 'Provider', 'lan', 'zzz', 'x', ''].map((word) => nearest(word, keys))).toEqual([
    'model',
    'permissions',
    'provider',
    'lang',
    undefined,
    undefined,
    undefined,
  ]);
});
