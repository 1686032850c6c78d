-- fzf-lua: a live picker over the search function. Lines are `path:line:column:heading`, which its own previewer and
-- its own file actions (open, split, tab, quickfix) understand.
local hits = require('ddg.hits')
local search = require('ddg.search')

local M = {}

-- A line of a hit; the path is whole, since hits may lie outside the working directory.
function M.line(hit)
  local start = hit.selectionRange.start
  local mark = hits.is_weak(hit) and '~ ' or ''
  local path = vim.uri_to_fname(hit.uri)
  return ('%s:%d:%d:%s%s'):format(path, start.line + 1, start.character + 1, mark, hits.heading(hit))
end

-- What fzf-lua calls for every change of the prompt. It gives the prompt as text or, since 2025, in a list.
function M.contents(options)
  local cancel = function() end
  return function(arguments)
    local prompt = type(arguments) == 'table' and arguments[1] or arguments or ''
    return function(add)
      vim.schedule(function()
        cancel()
        cancel = search.search(prompt, options, function(err, answer)
          for _, hit in ipairs(answer and answer.hits or {}) do
            add(M.line(hit))
          end
          add(nil)
          if err then
            vim.notify('ddg: ' .. err, vim.log.levels.ERROR)
          end
        end)
      end)
    end
  end
end

function M.open(options)
  local fzf = require('fzf-lua')
  fzf.fzf_live(M.contents({ bufnr = options.bufnr }), {
    prompt = 'Ask the docs> ',
    query = options.text,
    exec_empty_query = false,
    previewer = 'builtin',
    actions = fzf.defaults.actions.files,
    query_delay = require('ddg.config').get().debounce_ms,
    fzf_opts = { ['--delimiter'] = ':', ['--with-nth'] = '4..', ['--no-sort'] = true },
  })
end

return M
