-- telescope.nvim: a dynamic finder over the search function. Our order is the answer, so nothing is sorted or filtered.
local config = require('ddg.config')
local hits = require('ddg.hits')
local search = require('ddg.search')

local M = {}

local function display(entry)
  local mark = hits.is_weak(entry.value) and '~ ' or '  '
  local heading, place = hits.heading(entry.value), hits.place(entry.value)
  local from = #mark + #heading + 2
  local marks = { { { from, from + #place }, 'TelescopeResultsComment' } }
  if mark == '~ ' then
    marks[2] = { { 0, #mark + #heading }, 'TelescopeResultsComment' }
  end
  return mark .. heading .. '  ' .. place, marks
end

-- An entry as telescope's own previewers and actions read it.
function M.entry(found)
  local start = found.hit.selectionRange.start
  return {
    value = found.hit,
    ordinal = hits.heading(found.hit) .. ' ' .. found.hit.path,
    display = display,
    filename = vim.uri_to_fname(found.hit.uri),
    lnum = start.line + 1,
    col = start.character + 1,
  }
end

-- A function that telescope calls in a coroutine of plenary's for every prompt, and that answers with the hits.
function M.finder(options)
  local oneshot = require('plenary.async.control').channel.oneshot
  local cancel = function() end
  return function(prompt)
    local send, receive = oneshot()
    cancel()
    cancel = search.search(prompt, options, function(err, answer)
      if err then
        vim.notify('ddg: ' .. err, vim.log.levels.ERROR)
      end
      send(answer and answer.hits or {})
    end)
    return vim.tbl_map(function(hit)
      return { hit = hit }
    end, receive())
  end
end

function M.open(options)
  local chosen = vim.tbl_extend('keep', options.telescope or {}, {
    prompt_title = 'Ask the docs',
    default_text = options.text ~= '' and options.text or nil,
    debounce = config.get().debounce_ms,
  })
  local values = require('telescope.config').values
  require('telescope.pickers')
    .new(chosen, {
      finder = require('telescope.finders').new_dynamic({
        fn = M.finder({ bufnr = options.bufnr }),
        entry_maker = M.entry,
      }),
      previewer = values.grep_previewer(chosen),
      sorter = require('telescope.sorters').empty(),
    })
    :find()
end

return M
