" ALE, with the page's own code, which the test puts into $DDG_BLOCK.
set nocompatible encoding=utf-8 noswapfile hidden
filetype plugin on
set runtimepath^=/usr/share/vim-ale
let g:ale_linters_explicit = 1
let g:ale_disable_lsp = 0
let g:ale_lint_on_enter = 0
runtime plugin/ale.vim
source $DDG_BLOCK
let g:ale_linters = {'markdown': ['ddg-lsp']}
let s:out = []
function! s:Until(found) abort
  for l:turn in range(1200)
    if a:found() | return 1 | endif
    sleep 50m
  endfor
  return 0
endfunction
function! s:Ready() abort
  let s:reply = {}
  let l:params = {'command': 'ddg.server.showStatus', 'arguments': [{'silent': v:true}]}
  call ale#lsp_linter#SendRequest(bufnr(''), 'ddg-lsp', [0, 'workspace/executeCommand', l:params],
    \ {reply -> extend(s:reply, reply)})
  call s:Until({-> !empty(s:reply)})
  return s:reply.result.index.state ==# 'ready'
endfunction
try
  execute 'edit' fnameescape($DDG_ROOT . '/docs/ops.md')
  call add(s:out, 'ready ' . s:Until(function('s:Ready')))
  DdgAsk nightly backup
  call s:Until({-> !empty(getqflist())})
  for s:item in getqflist()
    call add(s:out, fnamemodify(bufname(s:item.bufnr), ':t') . ':' . s:item.lnum . ' ' . s:item.text)
  endfor
  cfirst
  call add(s:out, 'at ' . expand('%:t') . ':' . line('.') . ' ' . getline('.'))
catch
  call add(s:out, 'FAIL ' . v:exception . ' ' . v:throwpoint)
endtry
call writefile(s:out, $DDG_OUT)
qall!
