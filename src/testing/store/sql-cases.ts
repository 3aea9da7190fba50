/** What a connection must do. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import type { ReinError } from '../../protocol/errors.ts';
import type { SqlValue } from '../../services/sessions/sql.ts';
import type { StoreCase } from './fixtures.ts';

export const sqlCases: Record<string, StoreCase> = {
  async 'keeps values as they are'(connect) {
    const sql = await connect();
    const { integer, bytes } = sql.dialect;
    await sql.run(`CREATE TABLE kept (place ${integer}, number ${integer}, text TEXT, bytes ${bytes})`);
    const rows: SqlValue[][] = [
      [0, 0, '', new Uint8Array()],
      [1, 2 ** 31 + 1, 'it\'s "quoted" ? $1 \\ \u2028', new Uint8Array([0, 255, 39])],
      [2, Number.MAX_SAFE_INTEGER, '𠮷 é \u0001', new Uint8Array(100_000).fill(7)],
      [3, -(2 ** 40), null, null],
    ];
    for (const row of rows) {
      const { changes } = await sql.run('INSERT INTO kept (place, number, text, bytes) VALUES (?, ?, ?, ?)', row);
      equal(changes, 1);
    }
    const found = await sql.all('SELECT place, number, text, bytes FROM kept ORDER BY place');
    const plain = found.map(({ place, number, text, bytes }) => [
      place,
      number,
      text,
      bytes && new Uint8Array(bytes as Uint8Array),
    ]);
    deepEqual(plain, rows);
  },

  async 'undoes a transaction that fails, also the tables it made'(connect) {
    const sql = await connect();
    await sql.run('CREATE TABLE kept (text TEXT)');
    const failure = new Error('no');
    const failing = sql.tx(async (tx) => {
      await tx.run('INSERT INTO kept (text) VALUES (?)', ['gone']);
      await tx.run('CREATE TABLE gone (text TEXT)');
      throw failure;
    });
    await rejects(failing, failure);
    deepEqual(await sql.all('SELECT text FROM kept'), []);
    await rejects(sql.all('SELECT text FROM gone'), { code: 'E_STORE_FAILED' });
  },

  async 'keeps other statements out of a transaction'(connect) {
    const sql = await connect();
    await sql.run('CREATE TABLE kept (text TEXT)');
    const transaction = sql.tx(async (tx) => {
      await tx.run('INSERT INTO kept (text) VALUES (?)', ['first']);
      await tx.all('SELECT text FROM kept');
      throw new Error('undone');
    });
    const outside = sql.run('INSERT INTO kept (text) VALUES (?)', ['second']);
    await rejects(transaction);
    await outside;
    equal((await sql.all('SELECT text FROM kept')).map(({ text }) => text).join(), 'second');
  },

  async 'shared transactions of one moment: each fails by itself, and later statements see the rest'(connect) {
    const sql = await connect();
    await sql.run('CREATE TABLE kept (text TEXT PRIMARY KEY)');
    const insert = (...texts: string[]) =>
      sql.tx(
        async (tx) => {
          for (const text of texts) await tx.run('INSERT INTO kept (text) VALUES (?)', [text]);
          return texts.length;
        },
        { shared: true },
      );
    const all = [insert('a'), insert('b', 'a'), insert('c', 'd'), insert('c'), insert('b')];
    const seen = sql.all('SELECT text FROM kept ORDER BY text');
    const ends = await Promise.allSettled(all);
    deepEqual(
      ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason.code)),
      [1, 'E_STORE_FAILED', 2, 'E_STORE_FAILED', 1],
    );
    equal((await seen).map(({ text }) => text).join(), 'a,b,c,d');
  },

  async 'says what failed, and where'(connect) {
    const sql = await connect();
    const known = (error: ReinError) => error.code === 'E_STORE_FAILED' && error.params.store === sql.place;
    await rejects(sql.run('NOT SQL AT ALL'), known);
  },

  async 'may be closed twice'(connect) {
    const sql = await connect();
    await sql.close();
    await sql.close();
  },
};
