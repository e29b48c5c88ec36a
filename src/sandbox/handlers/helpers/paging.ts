import type { Window } from '../../state/timeline.ts';

/** Rows of a page counted from 1. */
export function windowOf(page: number, perPage: number): Window {
  return { skip: (page - 1) * perPage, take: perPage };
}

/** 0 when there is nothing. */
export function pagesOf(total: number, perPage: number): number {
  return Math.ceil(total / perPage);
}
